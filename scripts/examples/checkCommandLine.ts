/** Types every example in the help of `millrace` into a shell, as it is printed. */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Example, examples } from "./CommandExamples.ts"
import { CommandWorld } from "./CommandWorld.ts"
import { Shell } from "./Shell.ts"

/** The only place outside of its own directory that an example names. */
const NAMED = "/dev/shm/prices"
const INTERRUPTED = 130

const problemOf = async (shell: Shell, world: CommandWorld, example: Example): Promise<string | undefined> => {
  const { cwd, driver } = world.place(example)
  const companion = world.companionOf(example, cwd)
  try {
    const typed = shell.type(world.lineOf(example), cwd, driver)
    const expected = example.codeWhenStopped ?? 0
    if (example.codeWhenStopped !== undefined) {
      await typed.says(/\S/)
      typed.stop("SIGINT")
    }
    const { code, output } = await typed.endedInTime()
    if (code !== expected) {
      return `ended with ${code} instead of ${expected}: ${output}`
    }
    // An output that the line sends into a file is in the file.
    return output.trim() === "" && !example.line.includes(" > ") ? "says nothing" : undefined
  } finally {
    companion?.stop("SIGKILL")
    await companion?.ended()
    world.leave(cwd)
  }
}

/** Gives what does not run as printed. Names those that contain `only`, or all. */
export const checkCommandLine = async (only = ""): Promise<ReadonlyArray<string>> => {
  const root = mkdtempSync(join(tmpdir(), "millrace-examples-"))
  const hadNamed = existsSync(NAMED)
  const shell = new Shell(root)
  const world = new CommandWorld(shell, root)
  const failures: Array<string> = []
  const stop = () => process.exit(INTERRUPTED)
  process.once("SIGINT", stop).once("SIGTERM", stop)
  try {
    await world.make()
    for (const example of examples.filter(({ line }) => line.includes(only))) {
      const start = performance.now()
      const problem = await problemOf(shell, world, example)
      const took = Math.round(performance.now() - start)
      console.log(`${example.line}  ${problem === undefined ? "ok" : "FAILED"}, ${took} ms`)
      if (problem !== undefined) {
        failures.push(`${example.line}  ${problem}`)
      }
    }
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop)
    await world.close()
    rmSync(root, { recursive: true, force: true, maxRetries: 3 })
    if (!hadNamed) {
      rmSync(NAMED, { recursive: true, force: true })
    }
  }
  return failures
}
