/**
 * `millrace driver` without the other commands: their modules would take a fifth of the time until clients find a driver,
 * and it is started by scripts whose clients wait for it already.
 */
import * as Command from "effect/cli/Command"
import { driver } from "./commands/driver.ts"
import { withDefines } from "./internal/driverOptions.ts"
import { runProgram } from "./program.ts"

const millrace = Command.make("millrace").pipe(Command.withSubcommands([driver]))

export const run = (args: ReadonlyArray<string>): void => runProgram(millrace, withDefines(args))
