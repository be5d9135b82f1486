/** Rules that other tools know better than we do: oxlint measures and follows imports, knip finds what is dead. */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join, relative } from "node:path"
import type { Finding } from "./Finding.ts"

const OUTPUT_LENGTH_MAX = 256 * 1024 * 1024
const LIMIT_MS = 300_000

/** Runs a tool of this workspace and gives what it printed as JSON. Both tools exit with 1 when they found something. */
const runJson = (root: string, tool: string, args: ReadonlyArray<string>): unknown => {
  const command = join(root, "node_modules/.bin", tool)
  const run = spawnSync(command, args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: OUTPUT_LENGTH_MAX,
    timeout: LIMIT_MS,
    shell: process.platform === "win32"
  })
  try {
    return JSON.parse(run.stdout)
  } catch {
    throw new Error(`${tool} failed with code ${run.status}: ${run.stderr || run.stdout || run.error?.message}`)
  }
}

interface OxlintReport {
  readonly diagnostics: ReadonlyArray<{
    readonly code: string
    readonly message: string
    readonly note?: string
    readonly filename: string
    readonly labels: ReadonlyArray<{ readonly span: { readonly line: number } }>
  }>
}

const FOLDERS = ["packages", "scripts", "examples", "interop"] as const

/** Lengths of files and functions, cycles, docstrings: `oxlintrc.json` beside this file holds the limits. */
export const oxlint = (root: string): ReadonlyArray<Finding> => {
  const config = join(root, "scripts/tidy/oxlintrc.json")
  const folders = FOLDERS.filter((folder) => existsSync(join(root, folder)))
  const args = ["--config", config, "--disable-nested-config", "--format", "json", ...folders]
  return oxlintFindings(runJson(root, "oxlint", args) as OxlintReport)
}

const oxlintFindings = (report: OxlintReport): ReadonlyArray<Finding> =>
  report.diagnostics.map(({ code, filename, labels, message, note }) => ({
    path: filename.replaceAll("\\", "/"),
    ...(labels[0] === undefined ? {} : { line: labels[0].span.line }),
    message: [message, code === "import(no-cycle)" ? note : undefined].filter((text) => text !== undefined).join("\n")
  }))

interface KnipItem {
  readonly name: string
  readonly line?: number
}

interface KnipReport {
  readonly issues: ReadonlyArray<{ readonly file: string } & Readonly<Record<string, unknown>>>
}

const KNIP_MESSAGES: Readonly<Record<string, (name: string) => string>> = {
  files: () => "is not reached from any entry point, test or benchmark",
  exports: (name) => `exports ${name}, which nothing imports`,
  types: (name) => `exports the type ${name}, which nothing imports`,
  dependencies: (name) => `depends on ${name}, which nothing imports`,
  devDependencies: (name) => `has the development dependency ${name}, which nothing uses`,
  unlisted: (name) => `imports ${name}, which its package.json does not list`,
  unresolved: (name) => `imports ${name}, which does not exist`,
  catalog: (name) => `has the catalog entry ${name}, which no package uses`,
  catalogReferences: (name) => `names the catalog entry ${name}, which does not exist`,
  cycles: (name) => `is part of the cycle ${name}`
}

export const knip = (root: string): ReadonlyArray<Finding> => {
  const report = runJson(root, "knip", ["--no-progress", "--no-config-hints", "--reporter", "json"]) as KnipReport
  return knipFindings(report, (path) => relative(root, join(root, path)).replaceAll("\\", "/"))
}

/**
 * A public module is an interface for others, and a format or a set of codes is written down whole, whether or not each
 * of its constants is used by name. Everything else that nothing imports is dead, kernels included.
 */
const isForOthers = (path: string, name: string): boolean =>
  /^packages\/(core|transport|store)\/src\/\w+\.ts$/.test(path) ||
  path.endsWith("Descriptor.ts") ||
  /^[A-Z][A-Z0-9_]+$/.test(name)

const knipFindings = (report: KnipReport, pathOf: (path: string) => string = (path) => path): ReadonlyArray<Finding> =>
  report.issues.flatMap((issue) => {
    const path = pathOf(issue.file)
    return Object.keys(KNIP_MESSAGES).flatMap((kind) =>
      itemsOf(issue[kind])
        .filter(({ name }) => !((kind === "exports" || kind === "types") && isForOthers(path, name)))
        .map((item) => knipFinding(path, kind, item))
    )
  })

const knipFinding = (path: string, kind: string, { line, name }: KnipItem): Finding => {
  const message = KNIP_MESSAGES[kind]!(name)
  return line === undefined ? { path, message } : { path, line, message }
}

const itemsOf = (value: unknown): ReadonlyArray<KnipItem> => (Array.isArray(value) ? value.flat() : [])
