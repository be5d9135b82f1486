/** The examples in the help of `millrace`, and how each of them is to end. */
import { millrace } from "../../packages/cli/src/main.ts"

interface AnyCommand {
  readonly name: string
  readonly examples: ReadonlyArray<{ readonly command: string }>
  readonly subcommands: ReadonlyArray<{ readonly commands: ReadonlyArray<AnyCommand> }>
}

export interface Example {
  /** The words that name the command: `store put`. */
  readonly command: string
  /** The line to type. */
  readonly line: string
  /** The exit code after SIGINT, for what does not end by itself. */
  readonly codeWhenStopped: number | undefined
}

const WAITS = [
  /^millrace (capture|pong|web)\b/,
  /^millrace top(?!.*--once)/,
  /^millrace record(?!.*--count)/,
  /--(watch|follow|stats|merge)\b/
]
const INTERRUPTED = 130
/** The driver ends as `aeronmd` does: with the number of the signal. */
const DRIVER_INTERRUPTED = 2

const codeWhenStopped = (line: string): number | undefined => {
  if (line.startsWith("millrace driver")) {
    return DRIVER_INTERRUPTED
  }
  return WAITS.some((pattern) => pattern.test(line)) ? INTERRUPTED : undefined
}

const examplesOf = (command: AnyCommand, path: string): ReadonlyArray<Example> => [
  ...command.examples.map(({ command: line }) => ({ command: path, line, codeWhenStopped: codeWhenStopped(line) })),
  ...command.subcommands.flatMap(({ commands }) =>
    commands.flatMap((subcommand) => examplesOf(subcommand, `${path} ${subcommand.name}`.trim()))
  )
]

export const examples: ReadonlyArray<Example> = examplesOf(millrace, "")
