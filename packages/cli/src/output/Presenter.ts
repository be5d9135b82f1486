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
import * as Style from "./Style.ts"

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

const GAP = "  "

/**
 * What there is, on one screen of 24 lines: a line a command, with the name of its group beside the first. No blank
 * lines, and the flags in one.
 */
const overview = ({ globalFlags = [], subcommands = [] }: HelpDoc, style: Style.Style): string => {
  const groupWidth = Math.max(...subcommands.map(({ group }) => group?.length ?? 0))
  const nameWidth = Math.max(...subcommands.flatMap(({ commands }) => commands.map(({ name }) => name.length)))
  const flags = globalFlags.map(({ name, type }) => (type === "boolean" ? `--${name}` : `--${name} ${type}`))
  return [
    `${style.strong("millrace COMMAND [flags]")}   flags and examples of one: millrace COMMAND --help`,
    ...subcommands.flatMap(({ commands, group = "" }) =>
      commands.map(({ description, name, shortDescription }, index) => {
        const label = (index === 0 ? group : "").padEnd(groupWidth)
        return style.strong(label) + GAP + name.padEnd(nameWidth) + GAP + (shortDescription ?? description)
      })
    ),
    style.strong("Flags".padEnd(groupWidth)) + GAP + flags.join(GAP)
  ].join("\n")
}

const formatHelp = Effect.fnUntraced(function* (event: CliOutput.Presenter.Help) {
  const doc = shortened(event.helpDoc)
  return event.commandPath.length === 1 ? overview(doc, yield* Style.current) : (yield* formatter).formatHelpDoc(doc)
})

const tryHelp = (commandPath: ReadonlyArray<string>): string => `Try '${commandPath.join(" ")} --help'.`

/** `millrace` alone asks what there is; a group of commands without one of them is an unfinished command line. */
const isMisuse = (help: CliOutput.Presenter.Help): boolean => help.reason === "Implicit" && help.commandPath.length > 1

const present = Effect.fnUntraced(function* (event: CliOutput.Presenter.Event) {
  const { formatCliError } = yield* formatter
  switch (event._tag) {
    case "Version":
      return yield* Console.log(`${event.name} ${event.version}`)
    case "Help":
      return yield* isMisuse(event) ? Console.error(yield* formatHelp(event)) : Console.log(yield* formatHelp(event))
    case "InvalidInvocation": {
      for (const error of event.errors) {
        yield* Console.error(`millrace: ${formatCliError(error)}`)
      }
      return yield* Console.error(tryHelp(event.commandPath))
    }
  }
})

export const layer = CliOutput.layerPresenter({ present })
