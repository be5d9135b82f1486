/**
 * Aeron's C driver with the C client, the samples and the tools that are built beside it. `AERONMD` gives the path of
 * `aeronmd`: of a build tree of Aeron, or of an installation. Without it nothing of C runs.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { Process } from "./Process.ts"

const given = process.env["AERONMD"]
const binaries = resolve(given === undefined ? "." : dirname(given))
const sources = join(import.meta.dirname, "src", "main", "c")
const target = join(import.meta.dirname, "target", "c")
/** Our programs for the C client, once they are built. */
export const program = join(target, "peer")

/** Why nothing of C runs, when that is so. */
export const missing: string | undefined =
  given === undefined || given === ""
    ? "no aeronmd given; set AERONMD to its path"
    : existsSync(given)
      ? undefined
      : `there is no aeronmd at ${given}`

export const executable = (): string => {
  if (given === undefined || missing !== undefined) {
    throw new Error(missing)
  }
  return resolve(given)
}

/** As it names itself. */
export const version = (): string => {
  const { stdout } = spawnSync(executable(), ["-v"], { encoding: "utf8" })
  return /<(.*?)>/.exec(stdout)?.[1] ?? stdout.trim()
}

/** Where `aeronc.h` is: in the sources of a build tree, or installed. */
const includeOf = (): string => {
  const cache = join(binaries, "..", "CMakeCache.txt")
  const home = existsSync(cache) ? /^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$/m.exec(readFileSync(cache, "utf8")) : null
  const found = [...(home === null ? [] : [join(home[1]!, "aeron-client/src/main/c")]), join(binaries, "../include")]
  const include = found.find((directory) => existsSync(join(directory, "aeronc.h")))
  if (include === undefined) {
    throw new Error(`no aeronc.h in ${found.join(" or ")}`)
  }
  return include
}

/** Builds the programs of the C client, when they are older than their sources or than the library. */
export const build = (): void => {
  const library = join(binaries, "..", "lib")
  const files = readdirSync(sources).map((name) => join(sources, name))
  const newestMs = Math.max(...[...files, join(library, "libaeron.so")].map((file) => statSync(file).mtimeMs))
  if (existsSync(program) && statSync(program).mtimeMs > newestMs) {
    return
  }
  mkdirSync(target, { recursive: true })
  const compiled = files.filter((file) => file.endsWith(".c"))
  const flags = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", `-I${includeOf()}`]
  const libraries = [`-L${library}`, `-Wl,-rpath,${library}`, "-laeron", "-pthread"]
  const { status, stderr } = spawnSync("cc", [...flags, "-o", program, ...compiled, ...libraries], { encoding: "utf8" })
  if (status !== 0) {
    throw new Error(`the programs of the C client were not built: ${stderr}`)
  }
}

export const driver = (properties: Readonly<Record<string, string>>): Process =>
  new Process(
    "c driver",
    executable(),
    Object.entries(properties).map(([name, value]) => `-D${name}=${value}`)
  )

export const client = (name: string, args: ReadonlyArray<string>): Process =>
  new Process(`c ${name}`, program, [name, ...args])

/** One of Aeron's own programs, which are built beside the driver. It is made to print a line when it has one. */
export const sample = (name: string, args: ReadonlyArray<string>): Process =>
  new Process(`c ${name}`, "stdbuf", ["-oL", join(binaries, name), ...args])
