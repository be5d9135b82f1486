import assert from "node:assert/strict"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, it } from "vitest"
import * as Document from "../src/Document.ts"
import type { CaseResult, GroupResult } from "../src/Result.ts"

const spreadAround = (median: number) => ({ min: median / 2, median, max: median * 2 })

const resultOf = (name: string, rate: number, ratio?: number): CaseResult => ({
  name,
  runs: 5,
  operations: 1000,
  nsPerOperation: spreadAround(1e9 / rate),
  operationsPerSecond: spreadAround(rate),
  ...(ratio === undefined ? {} : { ratio: spreadAround(ratio), baseline: "unix-socket" })
})

const streams: GroupResult = {
  name: "peers/streams/32-bytes",
  cases: [
    resultOf("peers/streams/32-bytes/unix-socket", 500_000),
    resultOf("peers/streams/32-bytes/millrace-batches", 15_000_000, 30)
  ]
}
const growth: GroupResult = {
  name: "peers/growth/topics",
  cases: [resultOf("peers/growth/topics/1", 400_000), resultOf("peers/growth/topics/10000", 350_000, 0.9)]
}
const run: Document.Run = {
  machine: { node: "v26.0.0", platform: "linux x64", processor: "a processor", cores: 2 },
  versions: { Millrace: "0.1.0", Java: "17.0.1" },
  groups: [streams, growth],
  load: 0.25,
  isLarge: false
}

const folders: Array<string> = []
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })))

describe("the page of benchmarks", () => {
  it("has each rate with its spread, and the ratio to what it was measured beside", () => {
    const text = Document.page(run)
    assert.match(text, /\| unix-socket \| 250 k\/s \| 500 k\/s \| 1\.00 M\/s \|  \|  \|/)
    assert.match(
      text,
      /\| millrace-batches \| 7\.50 M\/s \| 15\.0 M\/s \| 30\.0 M\/s \| 30 of unix-socket \[15, 60\] \|/
    )
  })

  it("says on which machine, with which versions and how busy it was", () => {
    const text = Document.page(run)
    assert.match(text, /Node v26\.0\.0, linux x64, a processor, 2 cores; load at the beginning 0\.3\./)
    assert.match(text, /Millrace 0\.1\.0, Java 17\.0\.1/)
  })

  it("has no chapter of what was not measured", () => {
    const text = Document.page(run)
    assert.match(text, /^## Growth$/m)
    assert.doesNotMatch(text, /^## Round trips$/m)
  })

  it("is written with a plot of each group, and without those of groups that are gone", () => {
    const docs = mkdtempSync(join(tmpdir(), "millrace-docs-"))
    folders.push(docs)
    Document.write(docs, run)
    writeFileSync(join(docs, "benchmarks", "gone.svg"), "")
    Document.write(docs, run)
    assert.equal(existsSync(join(docs, "benchmarks", "gone.svg")), false)
    const plot = readFileSync(join(docs, "benchmarks", "streams-32-bytes.svg"), "utf8")
    assert.match(plot, /class="ours"/)
    assert.match(plot, />15\.0 M\/s</)
    assert.match(readFileSync(join(docs, "benchmarks", "growth-topics.svg"), "utf8"), />2\.50 µs</)
    for (const [, name] of Document.page(run).matchAll(/\.\/benchmarks\/([\w-]+\.svg)/g)) {
      assert.ok(existsSync(join(docs, "benchmarks", name!)))
    }
  })
})
