/**
 * The table of public modules in a package's README, written from the first paragraph of each module's own docstring,
 * so that neither can say something else.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Finding } from "./Finding.ts"

const BEGIN = "<!-- modules: written by `pnpm tidy --fix` -->"
const END = "<!-- end of modules -->"

export interface Module {
  readonly name: string
  readonly source: string
}

/** The first paragraph of the docstring that a module begins with. */
export const summaryOf = (source: string): string | undefined => {
  const docstring = /^(?:#![^\n]*\n)?\s*\/\*\*(.*?)\*\//s.exec(source)?.[1]
  const paragraph = docstring
    ?.split("\n")
    .map((line) => line.replace(/^\s*\* ?/, "").trim())
    .join("\n")
    .trim()
    .split(/\n\n|\n@/)[0]
    ?.replaceAll("\n", " ")
    .trim()
  return paragraph === undefined || paragraph === "" || paragraph.startsWith("@") ? undefined : paragraph
}

const tableOf = (packageName: string, modules: ReadonlyArray<Module>): string =>
  [
    "| module | |",
    "| --- | --- |",
    ...modules.map(({ name, source }) => `| \`${packageName}/${name}\` | ${cell(summaryOf(source) ?? "")} |`)
  ].join("\n")

const cell = (text: string): string => text.replaceAll("|", "\\|")

/** The page with its table as the modules say, or `undefined` when it has no place for one. */
export const withTable = (page: string, packageName: string, modules: ReadonlyArray<Module>): string | undefined => {
  const begin = page.indexOf(BEGIN)
  const end = page.indexOf(END)
  return begin === -1 || end < begin
    ? undefined
    : `${page.slice(0, begin)}${BEGIN}\n\n${tableOf(packageName, modules)}\n\n${page.slice(end)}`
}

const LIBRARIES = ["core", "transport", "store"] as const

export interface Named {
  readonly modules: ReadonlyArray<string>
  readonly areas: ReadonlyArray<string>
}

export const check = (root: string, sourcesOf: (folder: string) => Named): ReadonlyArray<Finding> =>
  LIBRARIES.flatMap((folder) => {
    const { areas, modules, page, path, wanted } = load(root, folder, sourcesOf)
    const findings: Array<Finding> = modules
      .filter(({ source }) => summaryOf(source) === undefined)
      .map(({ name }) => ({
        path: `packages/${folder}/src/${name}.ts`,
        message: "does not begin with a docstring that says what the module is"
      }))
    for (const area of areas.filter((name) => !page.includes(`\`${name}/\``))) {
      findings.push({ path, message: `says nothing of the folder ${area}/` })
    }
    if (wanted === undefined) {
      findings.push({ path, message: `has no place for the table of modules: ${BEGIN} … ${END}` })
    } else if (wanted !== page) {
      findings.push({ path, message: "has another table of modules than the sources: run `pnpm tidy --fix`" })
    }
    return findings
  })

/** Writes the tables that `check` wants. */
export const fix = (root: string, sourcesOf: (folder: string) => Named): void => {
  for (const folder of LIBRARIES) {
    const { path, wanted } = load(root, folder, sourcesOf)
    if (wanted !== undefined) {
      writeFileSync(join(root, path), wanted)
    }
  }
}

const load = (root: string, folder: string, sourcesOf: (folder: string) => Named) => {
  const path = `packages/${folder}/README.md`
  const page = readFileSync(join(root, path), "utf8")
  const { areas, modules: names } = sourcesOf(folder)
  const modules = names.map((name) => ({
    name,
    source: readFileSync(join(root, `packages/${folder}/src/${name}.ts`), "utf8")
  }))
  return { areas, path, page, modules, wanted: withTable(page, `@millrace/${folder}`, modules) }
}
