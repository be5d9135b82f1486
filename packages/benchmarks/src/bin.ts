/**
 * `pnpm bench [path-prefix…] [--smoke] [--json] [--write]`; `--root` names another folder of benchmarks. A whole run of
 * `peers` writes `docs/benchmarks.md`, with `--write` a run of any groups the tables of their figures in the documents, and
 * one without a name all of these tables.
 * `BENCH_LARGE=1` chooses the long form of what has one.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { loadavg } from "node:os"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import { findBenchFiles, mayMatch } from "./BenchFiles.ts"
import * as Document from "./Document.ts"
import * as Figures from "./Figures.ts"
import { forkPeer } from "./Peer.ts"
import { formatGroup, formatMachine, machine } from "./Report.ts"
import type { GroupResult } from "./Result.ts"
import * as Versions from "./Versions.ts"
import type { FileOrder, FileReport } from "./runFile.ts"

/** A smoke run is a few operations. One that takes this long waits for something that does not come. */
const SMOKE_LIMIT_MS = 120_000

/** Measures one file in a process of its own and fails when that process says so, dies, or hangs in a smoke run. */
const measureFile = async (order: FileOrder, onGroup: (result: GroupResult) => void): Promise<void> => {
  const peer = forkPeer(import.meta.url, "./runFile.ts")
  const timer = order.smoke ? setTimeout(() => peer.kill(), SMOKE_LIMIT_MS) : undefined
  try {
    peer.send(order)
    for (;;) {
      const report = await peer.receive<FileReport>()
      switch (report._tag) {
        case "Group":
          onGroup(report.result)
          break
        case "Failed":
          throw new Error(report.reason)
        case "Done":
          return await peer.exited
      }
    }
  } finally {
    clearTimeout(timer)
  }
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    smoke: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    root: { type: "string", default: dirname(import.meta.dirname) }
  }
})

const isLarge = process.env["BENCH_LARGE"] === "1"
const workspace = dirname(dirname(values.root))
const documents = globSync(["*.md", "docs/**/*.md", "packages/*/README.md"], { cwd: workspace }).map((path) => ({
  path,
  text: readFileSync(join(workspace, path), "utf8")
}))
const prefixes =
  values.write && positionals.length === 0
    ? documents.flatMap(({ text }) => Figures.prefixesIn(text, isLarge))
    : positionals

const writeFigures = (): void => {
  const failed = failures.map(({ file }) => file)
  const run: Figures.Run = { machine: machine(), load, groups: results, prefixes, failed, isLarge }
  for (const { path } of documents) {
    const file = join(workspace, path)
    const text = readFileSync(file, "utf8")
    const filled = Figures.fill(text, run)
    if (filled !== text) {
      writeFileSync(file, filled)
      console.error(`wrote the figures of ${path}`)
    }
  }
}

const files = findBenchFiles(values.root).filter((file) => mayMatch(file, prefixes))
const load = loadavg()[0]!
const results: Array<GroupResult> = []
const failures: Array<{ readonly file: string; readonly reason: string }> = []

if (!values.json) {
  console.log(formatMachine(machine()))
}
for (const file of files) {
  try {
    await measureFile({ ...file, prefixes, smoke: values.smoke }, (result) => {
      results.push(result)
      if (!values.json) {
        console.log(`\n${formatGroup(result)}`)
      }
    })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    failures.push({ file: file.name, reason })
    console.error(`${file.name} failed: ${reason}`)
  }
}
if (values.json) {
  console.log(JSON.stringify({ machine: machine(), smoke: values.smoke, groups: results, failures }))
} else {
  console.log(`\nbenchmark groups: ${results.length}, files that failed: ${failures.length}`)
}
if (!values.smoke && failures.length === 0 && prefixes.join() === "peers") {
  Document.write(join(workspace, "docs"), {
    machine: machine(),
    versions: Versions.read(),
    groups: results,
    load,
    isLarge
  })
}
if (!values.smoke && values.write) {
  writeFigures()
}
if (failures.length > 0) {
  process.exitCode = 1
} else if (results.length === 0 && prefixes.length > 0) {
  console.error(`no benchmark is named ${prefixes.join(" or ")}`)
  process.exitCode = 2
}
