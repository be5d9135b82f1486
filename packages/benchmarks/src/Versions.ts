/** What was measured, by its own account. */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"

/** Of the three that interop knows, the one that is measured. */
export const ROCKETMQ_VERSION = "5.3.3"

const require = createRequire(import.meta.url)
const workspace = join(import.meta.dirname, "..", "..", "..")

const manifestOf = (path: string): { readonly version: string } => JSON.parse(readFileSync(path, "utf8"))

/** A package whose manifest cannot be asked for by name lies beside its entry, some folders up. */
const ofPackage = (name: string): string => {
  const entry = require.resolve(name)
  const folder = entry.slice(0, entry.lastIndexOf(join("node_modules", name)))
  return manifestOf(join(folder, "node_modules", name, "package.json")).version
}

/** The first number that a program prints; absent where there is no such program. */
const ofProgram = (command: string, ...args: ReadonlyArray<string>): string | undefined => {
  const { stderr, stdout } = spawnSync(command, args, { encoding: "utf8" })
  return /\d+(\.\d+)+/.exec(`${stdout ?? ""}${stderr ?? ""}`)?.[0]
}

/** That of a dependency of the Java programs beside which is measured. */
const ofArtifact = (pom: string, artifact: string): string | undefined => {
  const text = readFileSync(join(workspace, "interop", pom), "utf8")
  return new RegExp(`<artifactId>${artifact}</artifactId>\\s*<version>([^<]+)</version>`).exec(text)?.[1]
}

export const read = (): Readonly<Record<string, string>> => {
  const found = {
    Millrace: manifestOf(join(workspace, "packages/core/package.json")).version,
    Node: process.versions.node,
    effect: ofPackage("effect"),
    zeromq: ofPackage("zeromq"),
    bullmq: ofPackage("bullmq"),
    SQLite: process.versions["sqlite"],
    Redis: ofProgram("redis-server", "--version"),
    Java: ofProgram("java", "-version"),
    Aeron: ofArtifact("aeron/pom.xml", "aeron-all"),
    RocketMQ: ROCKETMQ_VERSION
  }
  return Object.fromEntries(Object.entries(found).filter((entry): entry is [string, string] => entry[1] !== undefined))
}
