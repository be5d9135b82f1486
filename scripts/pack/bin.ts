/**
 * `pnpm run pack [--keep]`: what a user gets. Builds and packs the packages, checks each tarball, installs them all in
 * an empty folder outside of the workspace, and runs them there. (`pnpm pack` alone is a command of pnpm's own.)
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import * as Finding from "../tidy/Finding.ts"
import { packAll } from "./Build.ts"
import * as Consumer from "./Consumer.ts"
import * as Installs from "./Installs.ts"
import * as Licences from "./Licences.ts"
import * as Runtimes from "./Runtimes.ts"
import * as SizeBudget from "./SizeBudget.ts"
import * as Tarball from "./Tarball.ts"

const ROOT = dirname(dirname(import.meta.dirname))

const PROGRAMS: ReadonlyArray<Consumer.Program> = [
  {
    title: "an embedded driver in a Worker, a forked client",
    args: ["embedded.ts"],
    shows: /^received 1000 of 1000$/m
  },
  { title: "a durable topic", args: ["topic.ts"], shows: /^read 1000 of 1000$/m },
  {
    title: "millrace demo",
    args: ["node_modules/millrace/dist/bin.js", "demo", "--json"],
    shows: /"verified":\s*20000\b/
  }
]

const { values } = parseArgs({ options: { keep: { type: "boolean", default: false } } })
const folder = mkdtempSync(join(tmpdir(), "millrace-pack-"))

/** Each step builds on the one before it: what cannot be resolved is not installed, what cannot be loaded is not run. */
const check = async (): Promise<ReadonlyArray<Finding.Finding>> => {
  const tarballs = packAll(ROOT, folder).map(Tarball.read)
  for (const tarball of tarballs) {
    console.log(`${tarball.manifest.name}: ${tarball.files.length} files, ${Tarball.entries(tarball).length} entries`)
  }
  const ofTarballs = tarballs.flatMap((tarball) => [
    ...Tarball.checkContents(tarball),
    ...Tarball.checkEntries(ROOT, tarball)
  ])
  if (ofTarballs.length > 0) {
    return ofTarballs
  }
  const consumer = join(folder, "consumer")
  Consumer.install(ROOT, consumer, { tarballs, dependencies: peers() })
  const ofModules = [
    ...Consumer.checkImports(consumer, tarballs),
    ...Consumer.checkTypes(consumer),
    ...Licences.check(ROOT, consumer),
    ...Installs.check(ROOT, folder, tarballs),
    ...(await SizeBudget.check(ROOT))
  ]
  return ofModules.length > 0 ? ofModules : checkPrograms(consumer)
}

const checkPrograms = (consumer: string): ReadonlyArray<Finding.Finding> => {
  const programs = [...PROGRAMS, ...Consumer.examples(consumer)]
  return Runtimes.install(folder).flatMap((runtime) => {
    const findings = Consumer.checkPrograms(consumer, runtime, programs)
    console.log(`${runtime.version}: ${programs.length - findings.length} of ${programs.length} programs ran`)
    return findings
  })
}

/** What a user brings: the one peer, and its platform package, which the examples run on. */
const peers = (): Readonly<Record<string, string>> => {
  const versionOf = (name: string): string =>
    JSON.parse(readFileSync(join(ROOT, "examples/node_modules", name, "package.json"), "utf8")).version
  return { effect: versionOf("effect"), "@effect/platform-node": versionOf("@effect/platform-node") }
}

try {
  const findings = await check()
  for (const finding of findings) {
    console.error(Finding.format(finding))
  }
  console.log(findings.length === 0 ? "pack: installed and ran" : `pack: ${findings.length} findings`)
  process.exitCode = findings.length === 0 ? 0 : 1
} catch (cause) {
  console.error(cause instanceof Error ? cause.message : cause)
  console.log("pack: could not be built, packed or installed")
  process.exitCode = 1
} finally {
  if (values.keep) {
    console.log(`kept ${folder}`)
  } else {
    rmSync(folder, { recursive: true, force: true })
  }
}
