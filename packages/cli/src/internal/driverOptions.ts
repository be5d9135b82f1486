/**
 * The options of `millrace driver`, from where `aeronmd` takes them: environment variables, then `-Dname=value`, then
 * properties files, each over those before.
 *
 * What a script sets for every driver it knows is no error here: unknown variables and lines of files are ignored, and
 * listed in the printed configuration. What is typed on the command line is meant for this driver, and must be known.
 */
import * as MediaDriverConfig from "@millrace/transport/MediaDriverConfig"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { badInput, type CommandError } from "../CommandError.ts"

const ENVIRONMENT = "environment"
const COMMAND_LINE = "command line"
const NAME = /^(?:aeron|millrace)[._]/i
const FILE_URL = "file://"
const HTTP_URL = /^https?:/

export interface Sources {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** `name=value` of each `-D`. */
  readonly defines: ReadonlyArray<string>
  readonly files: ReadonlyArray<string>
}

type Assignments = ReadonlyArray<MediaDriverConfig.Assignment>

const ofEnvironment = (environment: Sources["environment"]): Assignments =>
  Object.entries(environment).flatMap(([name, value]) =>
    NAME.test(name) && value !== undefined ? [{ name, value, source: ENVIRONMENT }] : []
  )

const ofDefine = (define: string): Effect.Effect<MediaDriverConfig.Assignment, CommandError> => {
  const equals = define.indexOf("=")
  return equals <= 0
    ? Effect.fail(badInput(`-D${define}`, "it must be -Dname=value"))
    : Effect.succeed({ name: define.slice(0, equals), value: define.slice(equals + 1), source: COMMAND_LINE })
}

const ofFile = (path: string): Effect.Effect<Assignments, CommandError> =>
  Effect.try({
    try: () => {
      if (HTTP_URL.test(path)) {
        throw new Error("properties are read from files, not from the network")
      }
      const file = path.startsWith(FILE_URL) ? path.slice(FILE_URL.length) : path
      return MediaDriverConfig.parseProperties(fs.readFileSync(file, "utf8"), path)
    },
    catch: (error) => badInput(path, (error as Error).message)
  })

export const conclude = Effect.fnUntraced(function* (
  sources: Sources
): Effect.fn.Return<MediaDriverConfig.AeronOptions, CommandError> {
  const defines = yield* Effect.forEach(sources.defines, ofDefine)
  const files = yield* Effect.forEach(sources.files, ofFile)
  const concluded = MediaDriverConfig.fromAeron([...ofEnvironment(sources.environment), ...defines, ...files.flat()])
  const unknown = concluded.ignored.find(({ isAerons, source }) => source === COMMAND_LINE && !isAerons)
  if (unknown !== undefined) {
    return yield* Effect.fail(badInput(`-D${unknown.name}`, `the option ${unknown.reason}`))
  }
  const wrong = concluded.warnings.find(({ source }) => source === COMMAND_LINE)
  return wrong === undefined ? concluded : yield* Effect.fail(badInput(`-D${wrong.name}`, wrong.message))
})

/** `-Dname=value` and `-D name=value`, as Java and `aeronmd` have them, in the form of this command line. */
export const withDefines = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args[0] === "driver"
    ? args.map((arg) => (arg === "-D" ? "--define" : arg.startsWith("-D") ? `--define=${arg.slice(2)}` : arg))
    : args
