/**
 * `pnpm examples`: runs every file of `examples/` to its end, and holds the programs that the READMEs show against
 * them, so that what a reader copies is what ran. A file with a second dot in its name belongs to an example.
 */
import { spawn } from "node:child_process"
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { findStrangers } from "./ReadmePrograms.ts"

const ROOT = dirname(dirname(import.meta.dirname))
const FOLDER = join(ROOT, "examples")
const LIMIT_MS = 60_000

/** Runs one example in an empty folder of its own. Gives the reason when it fails. */
const run = (path: string): Promise<string | undefined> => {
  const directory = mkdtempSync(join(tmpdir(), "millrace-example-"))
  const child = spawn(process.execPath, [path], { cwd: directory, stdio: ["ignore", "pipe", "pipe"] })
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

const examples = readdirSync(FOLDER).filter((name) => /^[^.]+\.ts$/.test(name))
const failures: Array<string> = []
if (examples.length === 0) {
  failures.push("examples/ holds no example")
}
for (const name of examples) {
  const start = Date.now()
  const failure = await run(join(FOLDER, name))
  console.log(`examples/${name}  ${failure === undefined ? "ok" : "FAILED"}  ${Date.now() - start} ms`)
  if (failure !== undefined) {
    failures.push(`examples/${name} ${failure}`)
  }
}

const sources = globSync("examples/*.ts", { cwd: ROOT }).map((path) => readFileSync(join(ROOT, path), "utf8"))
for (const path of ["README.md", ...globSync("packages/{core,transport,store,cli}/README.md", { cwd: ROOT })]) {
  for (const { line } of findStrangers(readFileSync(join(ROOT, path), "utf8"), sources)) {
    failures.push(`${path}:${line}  shows a program that is in no file of examples/`)
  }
}
for (const failure of failures) {
  console.error(failure)
}
console.log(`examples: ${examples.length} ran, ${failures.length} failures`)
process.exitCode = failures.length === 0 ? 0 : 1
