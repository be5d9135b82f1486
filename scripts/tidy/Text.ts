/** Rules about the text of files and their names. */
import { posix } from "node:path"
import type { Finding } from "./Finding.ts"
import { eachLine, type Tree } from "./Tree.ts"

const LOCK_FILE = "pnpm-lock.yaml"
const FILE_LENGTH_MAX = 1024 * 1024

/** The rules name what they forbid, and so do their tests. */
const isAboutRules = (path: string): boolean => /^scripts\/(tidy|test\/tidy)\//.test(path)

const MARKER = /\b(FIXME|TODO|XXX|HACK)\b/

/** Work that is not done is not in the tree: it is an issue. */
export const markers = (tree: Tree): ReadonlyArray<Finding> =>
  matching(tree, (path) => path !== LOCK_FILE && !isAboutRules(path), [
    [MARKER, (found) => `${found} is left in the tree: do it, or write an issue`]
  ])

/** Where people and machines keep their work. A sample path belongs somewhere else. */
const MACHINE_PATH = /(?<![\w.~-])(\/(root|work|workspaces?)\/[\w.-]|[A-Z]:\\Users\\)/

const REGISTRY_SETTING = /(^|\s|")(registry|"registry"|_authToken|[\w@-]+:registry)"?\s*[=:]\s*["']?https?:/
const REGISTRY_HOST =
  /https?:\/\/[\w.-]*(\b(registry|npm|nexus|artifactory|verdaccio|jfrog|mirrors?)\b[\w.-]*\.[\w.-]+|localhost:4873|127\.0\.0\.1:4873)/
const PUBLIC_HOST = /https?:\/\/(www\.)?(npmjs\.com|npm\.im)/

/**
 * What belongs to one machine or one network, and breaks or leaks on every other. `own` are paths of the machine that
 * looks: its home, and the tree itself.
 */
export const machineTraces = (tree: Tree, own: ReadonlyArray<string> = []): ReadonlyArray<Finding> => [
  ...matching(tree, (path) => !isAboutRules(path), [
    [MACHINE_PATH, (found) => `${found}… is a path of one machine`],
    [REGISTRY_SETTING, (found) => `${found.trim()}… sets a registry: that is for the machine to choose`],
    [REGISTRY_HOST, (found) => (PUBLIC_HOST.test(found) ? undefined : `${found} is the host of a package registry`)]
  ]),
  ...own.flatMap((place) => naming(tree, place)),
  ...tree.paths
    .filter((path) => /(^|\/)\.npmrc$/.test(path))
    .map((path) => ({ path, message: "an .npmrc in the tree overrides the machine's own" }))
]

const naming = (tree: Tree, place: string): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  const isElsewhere = (path: string) => !isAboutRules(path)
  eachLine(tree, isElsewhere, (path, text, line) => {
    if (text.includes(place)) {
      findings.push({ path, line, message: `${place} is a path of this machine` })
    }
  })
  return findings
}

type Pattern = readonly [RegExp, (found: string) => string | undefined]

const matching = (
  tree: Tree,
  chooses: (path: string) => boolean,
  patterns: ReadonlyArray<Pattern>
): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  eachLine(tree, chooses, (path, text, line) => {
    for (const [pattern, describe] of patterns) {
      const found = pattern.exec(text)
      const message = found === null ? undefined : describe(found[0])
      if (message !== undefined) {
        findings.push({ path, line, message })
      }
    }
  })
  return findings
}

const GRAB_BAG = /(^|\/)(utils?|helpers?|commons?|misc|types|shared|index)\.[cm]?[jt]s$/i

/** Generated, and held against the disk by `ExportsMap.ts`. */
const BARREL = /^packages\/(core|transport|store)\/src\/index\.ts$/

/** A file is named after its one concept. */
export const fileNames = (tree: Tree): ReadonlyArray<Finding> =>
  tree.paths.flatMap((path) => {
    if (/\/fixtures\//.test(path) || BARREL.test(path)) {
      return []
    }
    if (GRAB_BAG.test(path)) {
      return [{ path, message: "names no concept: a file is called after the one thing it holds" }]
    }
    const [, area, name] = /^packages\/(?:core|transport|store)\/src\/(?:(\w+)\/)?(\w+)\.ts$/.exec(path) ?? []
    if (name !== undefined && area !== "internal" && !/^[A-Z]/.test(name) && path !== "packages/store/src/testing.ts") {
      return [{ path, message: "a public module or kernel is named in PascalCase after its concept" }]
    }
    return name !== undefined && area === "internal" && /^[A-Z][a-z]+$/.test(name)
      ? [{ path, message: "glue is named in camelCase, or after the port it adapts" }]
      : []
  })

/** A page of Markdown links to files that are there: `[text](path#heading)`, from its own folder. */
export const links = (tree: Tree): ReadonlyArray<Finding> => {
  const known = new Set(tree.paths.flatMap(withFolders))
  const findings: Array<Finding> = []
  const isPage = (path: string) => path.endsWith(".md") && !isAboutRules(path)
  eachLine(tree, isPage, (path, text, line) => {
    for (const [, target = ""] of text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)) {
      if (!/^[a-z]+:/.test(target) && !known.has(posix.join(posix.dirname(path), target).replace(/\/$/, ""))) {
        findings.push({ path, line, message: `links to ${target}, which is not there` })
      }
    }
  })
  return findings
}

const withFolders = (path: string): ReadonlyArray<string> => {
  const parts = path.split("/")
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"))
}

/** Fixtures are compressed; nothing else comes near this. */
export const fileSizes = (tree: Tree): ReadonlyArray<Finding> =>
  tree.paths
    .filter((path) => tree.size(path) > FILE_LENGTH_MAX)
    .map((path) => ({ path, message: `holds ${tree.size(path)} bytes, more than ${FILE_LENGTH_MAX}` }))
