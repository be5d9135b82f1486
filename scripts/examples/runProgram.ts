import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** What has not ended by then hangs: a busy machine takes a minute where an idle one takes seconds. */
const LIMIT_MS = 300_000

/** Runs a program in an empty folder of its own. Gives the reason when it fails, with everything it printed. */
export const runProgram = (path: string, args: ReadonlyArray<string> = []): Promise<string | undefined> => {
  const directory = mkdtempSync(join(tmpdir(), "millrace-example-"))
  const child = spawn(process.execPath, [path, ...args], { cwd: directory, stdio: ["ignore", "pipe", "pipe"] })
  const output: Array<Buffer> = []
  child.stdout.on("data", (chunk: Buffer) => output.push(chunk))
  child.stderr.on("data", (chunk: Buffer) => output.push(chunk))
  const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS)
  return new Promise((resolve, reject) => {
    child.once("error", reject)
    child.once("close", (code, signal) => {
      clearTimeout(timer)
      rmSync(directory, { recursive: true, force: true })
      resolve(code === 0 ? undefined : `ended with ${signal ?? `code ${code}`}\n${Buffer.concat(output).toString()}`)
    })
  })
}
