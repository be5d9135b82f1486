/**
 * What a package opens to the world, computed from its folder: each public module by name, core's kernels under
 * `./kernel/<area>/*`, and never `internal`. A `./*` pattern would open the kernel folders of every package.
 *
 * In the repository the map points at sources; `publishConfig` swaps in the built files when a package is packed.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Finding } from "./Finding.ts"

export type Target = string | { readonly types: string; readonly default: string }
export type Exports = Readonly<Record<string, Target>>

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly bin?: Readonly<Record<string, string>>
  readonly exports?: Exports
  readonly publishConfig?: { readonly exports?: Exports; readonly bin?: Readonly<Record<string, string>> }
}

/** Public modules and areas of a package's `src`, sorted. */
export interface Sources {
  readonly modules: ReadonlyArray<string>
  readonly areas: ReadonlyArray<string>
}

/** Every package that is published, in the order of their dependencies. */
export const PUBLISHED = ["core", "transport", "store", "cli"] as const

const SELF: Exports = { "./package.json": "./package.json" }

/** The command line is a program: it has a `bin` and no modules to import. */
const isProgram = (name: string): boolean => name === "millrace"

const opensKernels = (name: string): boolean => name === "@millrace/core"

const readSources = (packageFolder: string): Sources => {
  const entries = readdirSync(join(packageFolder, "src"), { withFileTypes: true })
  const nameOf = (entry: { readonly name: string }) => entry.name
  return {
    modules: entries
      .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
      .map((entry) => entry.name.slice(0, -".ts".length))
      .toSorted(),
    areas: entries
      .filter((entry) => entry.isDirectory() && entry.name !== "internal")
      .map(nameOf)
      .toSorted()
  }
}

export const expectedSources = (name: string, sources: Sources): Exports =>
  expected(name, sources, (path) => `./src/${path}.ts`)

export const expectedDist = (name: string, sources: Sources): Exports =>
  expected(name, sources, (path) => ({ types: `./dist/${path}.d.ts`, default: `./dist/${path}.js` }))

const expected = (name: string, { areas, modules }: Sources, target: (path: string) => Target): Exports => {
  if (isProgram(name)) {
    return SELF
  }
  return {
    ...SELF,
    ...Object.fromEntries(modules.map((module) => [`./${module}`, target(module)])),
    ...(opensKernels(name) ? Object.fromEntries(areas.map((area) => [`./kernel/${area}/*`, target(`${area}/*`)])) : {})
  }
}

/** Differences between a manifest and the sources beside it. */
export const compare = (path: string, manifest: Manifest, sources: Sources): ReadonlyArray<Finding> => [
  ...difference(path, "exports", manifest.exports, expectedSources(manifest.name, sources)),
  ...difference(path, "publishConfig.exports", manifest.publishConfig?.exports, expectedDist(manifest.name, sources)),
  ...difference(path, "publishConfig.bin", manifest.publishConfig?.bin, builtBin(manifest.bin))
]

const builtBin = (bin: Manifest["bin"]): Exports =>
  Object.fromEntries(
    Object.entries(bin ?? {}).map(([command, file]) => [
      command,
      file.replace("./src/", "./dist/").replace(/\.ts$/, ".js")
    ])
  )

const difference = (
  path: string,
  field: string,
  actual: Exports | undefined,
  wanted: Exports
): ReadonlyArray<Finding> =>
  [...new Set([...Object.keys(wanted), ...Object.keys(actual ?? {})])].flatMap((entry) => {
    const found = JSON.stringify(actual?.[entry])
    const want = JSON.stringify(wanted[entry])
    if (found === want) {
      return []
    }
    const message =
      want === undefined
        ? `opens ${entry}, which is no public module on disk`
        : `has ${found ?? "nothing"} for ${entry}, and the disk says ${want}`
    return [{ path, message: `${field} ${message}: run \`pnpm tidy --fix\`` }]
  })

export const check = (root: string): ReadonlyArray<Finding> =>
  PUBLISHED.flatMap((folder) => {
    const { manifest, path, sources } = load(root, folder)
    return compare(path, manifest, sources)
  })

/** Writes the maps that `check` wants. */
export const fix = (root: string): void => {
  for (const folder of PUBLISHED) {
    const { manifest, path, sources } = load(root, folder)
    const fixed = {
      ...manifest,
      exports: expectedSources(manifest.name, sources),
      publishConfig: { ...manifest.publishConfig, exports: expectedDist(manifest.name, sources) }
    }
    writeFileSync(join(root, path), `${JSON.stringify(fixed, null, 2)}\n`)
  }
}

const load = (root: string, folder: string) => {
  const path = `packages/${folder}/package.json`
  const manifest: Manifest = JSON.parse(readFileSync(join(root, path), "utf8"))
  return { path, manifest, sources: readSources(join(root, `packages/${folder}`)) }
}
