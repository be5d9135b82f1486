import { spawnSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import * as Docstrings from "./Docstrings.ts"
import { runProgram } from "./runProgram.ts"

/** Inside each package, so that an example imports the package by its name as a user does; git ignores it. */
const FOLDER = ".docstrings"

/** Writes the examples as files, checks all of their types at once, and runs those that say what they come to. */
export const checkDocstrings = async (
  root: string,
  examples: ReadonlyArray<Docstrings.Example>
): Promise<ReadonlyArray<string>> => {
  const programs = examples.map((example) => ({ example, ...locate(example) }))
  const folders = new Set(programs.map(({ folder }) => folder))
  try {
    for (const folder of folders) {
      mkdirSync(join(root, folder), { recursive: true })
    }
    for (const { example, folder, name } of programs) {
      writeFileSync(join(root, folder, name), Docstrings.toProgram(example))
    }
    const files = programs.map(({ folder, name }) => join(root, folder, name))
    const failures = files.length === 0 ? [] : checkTypes(root, files)
    for (const { example, folder, name } of programs) {
      const failure = Docstrings.isRun(example) ? await runProgram(join(root, folder, name)) : undefined
      if (failure !== undefined) {
        failures.push(`${example.path}:${example.line}  the example ${failure}`)
      }
    }
    return failures
  } finally {
    for (const folder of folders) {
      rmSync(join(root, folder), { recursive: true, force: true })
    }
  }
}

const locate = ({ line, path }: Docstrings.Example) => ({
  folder: `${path.slice(0, path.indexOf("/src/"))}/${FOLDER}`,
  name: `${basename(path, ".ts")}-${line}.ts`
})

const checkTypes = (root: string, files: ReadonlyArray<string>): Array<string> => {
  const config = join(dirname(files[0]!), "tsconfig.json")
  const settings = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: { noUnusedLocals: false },
    files,
    include: []
  }
  writeFileSync(config, JSON.stringify(settings))
  const tsc = join(root, "node_modules/.bin/tsc")
  const done = spawnSync(tsc, ["--noEmit", "--pretty", "false", "-p", config], {
    cwd: root,
    encoding: "utf8",
    shell: process.platform === "win32"
  })
  return done.status === 0 ? [] : [done.stdout || done.stderr || `tsc failed: ${done.error?.message}`]
}
