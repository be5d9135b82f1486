/**
 * Finds bench files. `core/logbuffer/TermReader.ts` is one; a file with a second dot in its name
 * (`throughput.child.ts`, `append.shared.ts`) belongs to a bench and is not one itself.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import type { Group } from "./Group.ts"

/** Folders beside the benches that hold none. */
const NOT_BENCHES: ReadonlySet<string> = new Set(["src", "test", "node_modules"])

export interface BenchFile {
  readonly path: string
  /** The path from the benchmarks' root without `.ts`: the beginning of the names of the groups within. */
  readonly name: string
}

export const findBenchFiles = (root: string): ReadonlyArray<BenchFile> =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /^[^.]+\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, name: path.slice(root.length + 1, -".ts".length).replaceAll("\\", "/") }))
    .filter(({ name }) => name.includes("/") && !NOT_BENCHES.has(name.slice(0, name.indexOf("/"))))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))

/** Whether a name lies under one of the prefixes, at a slash: `core/log` does not choose `core/logbuffer`. */
export const matches = (name: string, prefixes: ReadonlyArray<string>): boolean =>
  prefixes.length === 0 || prefixes.some((prefix) => isUnder(name, prefix))

/** Whether a file may hold something that the prefixes choose: the prefix may reach into the file. */
export const mayMatch = (file: BenchFile, prefixes: ReadonlyArray<string>): boolean =>
  matches(file.name, prefixes) || prefixes.some((prefix) => isUnder(prefix, file.name))

const isUnder = (name: string, prefix: string): boolean => {
  const folder = prefix.replace(/\/+$/, "")
  return name === folder || name.startsWith(`${folder}/`)
}

export const loadGroups = async (file: BenchFile): Promise<ReadonlyArray<Group>> => {
  const module: { readonly default?: Group | ReadonlyArray<Group> } = await import(file.path)
  if (module.default === undefined) {
    throw new Error(`${file.path} has no default export: a bench file exports a group or an array of groups`)
  }
  const groups: ReadonlyArray<Group> = Array.isArray(module.default) ? module.default : [module.default]
  for (const { name } of groups) {
    if (!isUnder(name, file.name)) {
      throw new Error(`${file.path} holds the group ${name}: its name must begin with ${file.name}`)
    }
  }
  return groups
}
