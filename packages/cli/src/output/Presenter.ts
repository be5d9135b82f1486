/**
 * Where help and usage errors go. The library prints the whole help on standard output before an error; here an error
 * is a few lines on standard error, so that standard output holds only what was asked for.
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CliOutput from "effect/cli/CliOutput"
import type { FlagDoc, HelpDoc } from "effect/cli/HelpDoc"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"

const formatter = Effect.map(TerminalCapabilities.TerminalCapabilities, ({ canColor }) =>
  CliOutput.defaultFormatter({ colors: canColor, globalFlags: "summary", inheritedFlags: "summary" })
)

/** The built-in flags name all of their choices twice, in lines wider than a screen. */
const GLOBAL_FLAGS = new Map([
  ["completions", { type: "SHELL", description: "Print a completion script: bash, zsh, fish or powershell" }],
  ["log-level", { type: "LEVEL", description: "all, trace, debug, info, warn, error, fatal or none" }]
])

const shorten = (flag: FlagDoc): FlagDoc => {
  const short = GLOBAL_FLAGS.get(flag.name)
  return short === undefined ? flag : { ...flag, type: short.type, description: Option.some(short.description) }
}

const shortened = (doc: HelpDoc): HelpDoc =>
  doc.globalFlags === undefined ? doc : { ...doc, globalFlags: doc.globalFlags.map(shorten) }

const tryHelp = (commandPath: ReadonlyArray<string>): string => `Try '${commandPath.join(" ")} --help'.`

/** `millrace` alone asks what there is; a group of commands without one of them is an unfinished command line. */
const isMisuse = (help: CliOutput.Presenter.Help): boolean => help.reason === "Implicit" && help.commandPath.length > 1

const present = Effect.fnUntraced(function* (event: CliOutput.Presenter.Event) {
  const { formatHelpDoc, formatCliError } = yield* formatter
  switch (event._tag) {
    case "Version":
      return yield* Console.log(`${event.name} ${event.version}`)
    case "Help":
      return yield* isMisuse(event)
        ? Console.error(formatHelpDoc(shortened(event.helpDoc)))
        : Console.log(formatHelpDoc(shortened(event.helpDoc)))
    case "InvalidInvocation": {
      for (const error of event.errors) {
        yield* Console.error(`millrace: ${formatCliError(error)}`)
      }
      return yield* Console.error(tryHelp(event.commandPath))
    }
  }
})

export const layer = CliOutput.layerPresenter({ present })
