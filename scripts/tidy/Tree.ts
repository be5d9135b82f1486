/** The files of a repository as git sees them: what is committed and what is about to be. */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"

export interface Tree {
  readonly root: string
  /** Paths from the root, with forward slashes. */
  readonly paths: ReadonlyArray<string>
  /** Undefined for a file that is not text. */
  readonly read: (path: string) => string | undefined
  /** Bytes. */
  readonly size: (path: string) => number
}

export const open = (root: string): Tree => {
  const listing = spawnSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024
  })
  if (listing.status !== 0) {
    throw new Error(`git ls-files failed in ${root}: ${listing.stderr ?? listing.error?.message}`)
  }
  return {
    root,
    paths: listing.stdout.split("\0").filter((path) => path !== "" && existsSync(join(root, path))),
    read: (path) => textOf(readFileSync(join(root, path))),
    size: (path) => statSync(join(root, path)).size
  }
}

const textOf = (bytes: Buffer): string | undefined => (bytes.includes(0) ? undefined : bytes.toString("utf8"))

/** A tree in memory, for tests of the rules. */
export const fromRecord = (files: Readonly<Record<string, string>>): Tree => ({
  root: "/",
  paths: Object.keys(files),
  read: (path) => files[path],
  size: (path) => files[path]!.length
})

/** The lines of every text file that `chooses` picks, counted from 1. */
export const eachLine = (
  tree: Tree,
  chooses: (path: string) => boolean,
  visit: (path: string, line: string, number: number) => void
): void => {
  for (const path of tree.paths.filter(chooses)) {
    tree
      .read(path)
      ?.split("\n")
      .forEach((line, index) => visit(path, line, index + 1))
  }
}
