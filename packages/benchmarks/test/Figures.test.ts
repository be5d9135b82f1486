import assert from "node:assert/strict"
import { describe, it } from "vitest"
import * as Figures from "../src/Figures.ts"

const spreadAround = (median: number) => ({ min: median / 2, median, max: median * 2 })

const run: Figures.Run = {
  machine: { node: "v26.0.0", platform: "linux x64", processor: "a processor", cores: 2 },
  load: 0.25,
  prefixes: ["store"],
  failed: [],
  isLarge: false,
  groups: [
    {
      name: "store/java/puts",
      cases: [
        {
          name: "store/java/puts/java",
          runs: 5,
          operations: 1000,
          nsPerOperation: spreadAround(2000),
          operationsPerSecond: spreadAround(500_000)
        },
        {
          name: "store/java/puts/millrace",
          runs: 5,
          operations: 1000,
          nsPerOperation: spreadAround(1000),
          operationsPerSecond: spreadAround(1_000_000),
          ratio: spreadAround(2),
          baseline: "java",
          figures: { "processor us/op": { min: 3, median: 3, max: 3 } },
          goal: "2 times theirs"
        }
      ]
    }
  ]
}

const page = (command: string) =>
  `Before.\n\n<!-- printed by: ${command} -->\n\nold\n\n<!-- end of what was printed -->\n\nAfter.\n`

describe("figures of documents", () => {
  it("are written between the marks of their command, and nowhere else", () => {
    const text = Figures.fill(page("pnpm bench store/java"), run)
    assert.match(text, /^Before\.\n\n<!-- printed by: pnpm bench store\/java -->\n\n\|/)
    assert.match(text, /\n\n<!-- end of what was printed -->\n\nAfter\.\n$/)
    assert.doesNotMatch(text, /old/)
    assert.equal(Figures.fill(text, run), text)
  })

  it("are a row a case, with their spread, and the machine below", () => {
    const text = Figures.fill(page("pnpm bench store/java"), run)
    assert.match(text, /^\| puts\/java \| 2 µs \[1, 4\] \| 500 k\/s \|  \|  \|$/m)
    assert.match(
      text,
      /^\| puts\/millrace \| 1 µs \[0\.5, 2\] \| 1\.00 M\/s \| 2 of java \[1, 4\] \| processor us\/op 3, \(goal: 2 times theirs\) \|$/m
    )
    assert.match(text, /^Node v26\.0\.0, linux x64, a processor, 2 cores, load at the beginning 0\.3;/m)
  })

  it("are not written into code that shows the marks", () => {
    const shown = `\`\`\`text\n${page("pnpm bench store/java")}\`\`\`\n`
    assert.equal(Figures.fill(shown, run), shown)
    assert.deepEqual(Figures.prefixesIn(shown, true), [])
  })

  it("stay as they are when the run has not measured all of them", () => {
    const other = page("pnpm bench store/java")
    assert.equal(Figures.fill(other, { ...run, prefixes: ["store/java/puts"] }), other)
    assert.equal(Figures.fill(other, { ...run, failed: ["store/java/sync"] }), other)
    assert.equal(Figures.fill(page("pnpm bench core/crc"), { ...run, prefixes: [] }), page("pnpm bench core/crc"))
  })

  it("of a long form are written by a run of that form alone", () => {
    const long = page("BENCH_LARGE=1 pnpm bench store/java")
    assert.equal(Figures.fill(long, run), long)
    assert.match(Figures.fill(long, { ...run, isLarge: true }), /puts\/millrace/)
    assert.deepEqual(Figures.prefixesIn(long, false), [])
    assert.deepEqual(Figures.prefixesIn(long + page("pnpm bench core"), true), ["store/java", "core"])
  })
})
