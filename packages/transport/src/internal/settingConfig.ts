/** Settings as a `Config`: by their own name, or else by Aeron's environment variable. */
import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as IdleNames from "../config/IdleNames.ts"
import { environmentVariable, type Setting } from "../config/Setting.ts"
import * as SettingValue from "../config/SettingValue.ts"

/** A text that is no value stays as it is: whoever checks the options refuses it by its name. */
const valueOf = (setting: Setting, text: string): unknown => {
  const value = SettingValue.parse(setting, text)
  if (value === SettingValue.INVALID) {
    return text
  }
  return setting.kind === "duration" ? Duration.nanos(BigInt(Number(value))) : value
}

const configOf = (name: string, setting: Setting): Config.Config<Option.Option<unknown>> =>
  Config.String(name).pipe(
    Config.orElse(() => Config.String(environmentVariable(setting.property))),
    Config.map((text) => valueOf(setting, text)),
    Config.option
  )

/** The options that are given, of these settings and of `others`. */
export const make = <Options>(
  settings: Readonly<Record<string, Setting>>,
  others: Readonly<Record<string, Config.Config<Option.Option<unknown>>>>
): Config.Config<Options> =>
  Config.all({
    ...Object.fromEntries(Object.entries(settings).map(([name, setting]) => [name, configOf(name, setting)])),
    ...others
  }).pipe(
    Config.map(
      (values) =>
        Object.fromEntries(
          Object.entries(values as Record<string, Option.Option<unknown>>)
            .filter(([, value]) => Option.isSome(value))
            .map(([name, value]) => [name, Option.getOrThrow(value)])
        ) as Options
    )
  )

/** By the option's name or by its variable; arguments have the same name, and `Arguments` or `_INIT_ARGS`. */
const idleOf = (option: IdleNames.IdleOption): Config.Config<Option.Option<unknown>> => {
  const variable = IdleNames.VARIABLES[option]
  const textOf = (name: string, other: string) => Config.String(name).pipe(Config.orElse(() => Config.String(other)))
  return Config.all({
    name: Config.option(textOf(option, variable)),
    given: Config.option(textOf(`${option}Arguments`, `${variable}${IdleNames.ARGUMENTS}`))
  }).pipe(
    Config.map(({ given, name }) =>
      // A text that is none stays, as with other values.
      Option.map(name, (text) => IdleNames.parse(text, Option.getOrUndefined(given)) ?? text)
    )
  )
}

export const idles: Readonly<Record<string, Config.Config<Option.Option<unknown>>>> = Object.fromEntries(
  IdleNames.OPTIONS.map((option) => [option, idleOf(option)])
)

export const directory = Config.option(Config.orElse(Config.String("directory"), () => Config.String("AERON_DIR")))
