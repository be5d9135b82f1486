/** A packed package, and what is wrong with it before anybody has installed it. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import type { Finding } from "../tidy/Finding.ts"
import type { Exports, Manifest } from "../tidy/ExportsMap.ts"
import { outputOf, run, runOrThrow, tool } from "./Run.ts"

export interface Tarball {
  readonly path: string
  readonly manifest: Manifest
  /** Paths inside the package. */
  readonly files: ReadonlyArray<string>
}

export const read = (path: string): Tarball => {
  const tar = { command: "tar", args: [] }
  const folder = mkdtempSync(join(tmpdir(), "millrace-tarball-"))
  try {
    const listing = runOrThrow(tar, ["-tzf", path], { cwd: folder })
    runOrThrow(tar, ["-xzf", path, "package/package.json"], { cwd: folder })
    return {
      path,
      manifest: JSON.parse(readFileSync(join(folder, "package/package.json"), "utf8")),
      files: listing
        .split("\n")
        .filter((line) => line !== "" && !line.endsWith("/"))
        .map((line) => line.replace(/^package\//, ""))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Every entry that can be imported, one by one: a pattern (`./kernel/memory/*`) stands for each file it matches.
 * `./package.json` is data and not an entry.
 */
export const entries = ({ files, manifest }: Tarball): ReadonlyArray<string> =>
  Object.entries((manifest.exports ?? {}) satisfies Exports).flatMap(([name, target]) => {
    if (name === "./package.json") {
      return []
    }
    const path = (typeof target === "string" ? target : target.default).replace(/^\.\//, "")
    if (!name.includes("*")) {
      return [name]
    }
    const [head = "", tail = ""] = path.split("*")
    return files
      .filter((file) => file.startsWith(head) && file.endsWith(tail))
      .map((file) => name.replace("*", file.slice(head.length, file.length - tail.length)))
  })

/** What a tarball holds besides its entries: sources for debuggers and readers, and nothing that is only ours. */
export const checkContents = (tarball: Tarball): ReadonlyArray<Finding> => {
  const has = (pattern: RegExp) => tarball.files.some((file) => pattern.test(file))
  const finding = (message: string): Finding => ({ path: basename(tarball.path), message })
  const built = new Set(tarball.files.filter((file) => file.startsWith("dist/")))
  return [
    ...["README.md", "LICENSE", "package.json"]
      .filter((name) => !tarball.files.includes(name))
      .map((name) => finding(`holds no ${name}`)),
    ...(has(/^src\/.*\.ts$/) ? [] : [finding("holds no sources")]),
    ...tarball.files
      .filter((file) => /(^|\/)(test|node_modules)\/|\.tsbuildinfo$|\.test\./.test(file))
      .map((file) => finding(`holds ${file}, which is of no use to others`)),
    ...tarball.files
      .filter((file) => /^src\/.*\.ts$/.test(file))
      .map((file) => file.replace(/^src\//, "dist/").replace(/\.ts$/, ""))
      .filter((stem) => !built.has(`${stem}.js`) || !built.has(`${stem}.d.ts`))
      .map((stem) => finding(`holds no ${stem}.js with its types`)),
    ...[...built]
      .filter((file) => file.endsWith(".js"))
      .map((file) => file.replace(/^dist\//, "src/").replace(/\.js$/, ".ts"))
      .filter((source) => !tarball.files.includes(source))
      .map((source) => finding(`holds a built file of ${source}, which does not exist: dist is stale`)),
    ...Object.entries(tarball.manifest.bin ?? {})
      .filter(([, file]) => !tarball.files.includes(file.replace(/^\.\//, "")))
      .map(([command, file]) => finding(`has the command ${command} at ${file}, which it does not hold`)),
    ...(/(workspace|catalog):/.test(JSON.stringify(tarball.manifest))
      ? [finding("has a dependency that only this workspace can resolve")]
      : [])
  ]
}

/** Asks publint and attw, naming every entry: attw skips patterns when it looks for entries itself. */
export const checkEntries = (root: string, tarball: Tarball): ReadonlyArray<Finding> => {
  const names = entries(tarball)
  const publint = run(tool(root, "publint"), ["run", tarball.path, "--strict"], { cwd: root })
  const findings = publint.status === 0 ? [] : [{ path: basename(tarball.path), message: outputOf(publint) }]
  if (names.length === 0) {
    return findings
  }
  const args = [tarball.path, "--profile", "esm-only", "--format", "ascii", "--no-emoji", "--entrypoints", ...names]
  const attw = run(tool(root, "attw"), args, { cwd: root })
  return attw.status === 0 ? findings : [...findings, { path: basename(tarball.path), message: outputOf(attw) }]
}
