/**
 * The shell commands that a page tells its reader to type, typed: all blocks of a page one after the other in one shell, in
 * an empty folder, with `millrace` on the path and a directory for a driver of its own.
 */
import { spawn } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Fences from "./Fences.ts"

/** What has not ended by then hangs: a busy machine takes a minute where an idle one takes seconds. */
const LIMIT_MS = 300_000

export const find = (markdown: string): string =>
  Fences.ofKind(markdown, "sh")
    .map(({ code }) => code)
    .join("")

/** Gives the reason when a command fails, with everything that was printed; what runs in the background is stopped. */
export const run = (root: string, code: string): Promise<string | undefined> => {
  const folder = mkdtempSync(join(tmpdir(), "millrace-page-"))
  const bin = join(folder, ".bin")
  mkdirSync(bin)
  const millrace = join(bin, "millrace")
  writeFileSync(millrace, `#!/bin/sh\nexec "${process.execPath}" "${join(root, "packages/cli/src/bin.ts")}" "$@"\n`)
  chmodSync(millrace, 0o755)
  symlinkSync(join(root, "packages/cli/bin/millrace-driver"), join(bin, "millrace-driver"))
  const environment = {
    ...process.env,
    PATH: `${bin}:${process.env["PATH"]}`,
    HOME: folder,
    AERON_DIR: join(folder, "driver")
  }
  const shell = spawn("bash", ["-e", "-o", "pipefail", "-c", code], {
    cwd: folder,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, so that the commands it left in the background end with it.
    detached: true
  })
  const output: Array<Buffer> = []
  shell.stdout.on("data", (chunk: Buffer) => output.push(chunk))
  shell.stderr.on("data", (chunk: Buffer) => output.push(chunk))
  const end = (signal: NodeJS.Signals) => {
    try {
      process.kill(-shell.pid!, signal)
    } catch (cause) {
      // Nobody of the group is left.
      if ((cause as NodeJS.ErrnoException).code !== "ESRCH") {
        throw cause
      }
    }
  }
  const timer = setTimeout(() => end("SIGKILL"), LIMIT_MS)
  return new Promise((resolve, reject) => {
    shell.once("error", reject)
    shell.once("exit", () => end("SIGTERM"))
    shell.once("close", (code, signal) => {
      clearTimeout(timer)
      rmSync(folder, { recursive: true, force: true })
      resolve(code === 0 ? undefined : `ended with ${signal ?? `code ${code}`}\n${Buffer.concat(output).toString()}`)
    })
  })
}
