import assert from "node:assert/strict"
import { describe, it } from "vitest"
import { findBenchNames, findStrays } from "../../docs/Measured.ts"

const BLOCK = "<!-- printed by: pnpm bench store/java -->\n\n| put | 449 k/s |\n\n<!-- end of what was printed -->"

describe("figures of a page", () => {
  it("are at home where a benchmark writes them", () => {
    assert.deepEqual(findStrays(`# Speed\n\n${BLOCK}\n`), [])
  })

  it("are strays everywhere else, at their line", () => {
    assert.deepEqual(findStrays(`${BLOCK}\nit takes 0.43 µs\nand gives 18 to 20 million/s\n`), [
      { line: 6, text: "0.43 µs" },
      { line: 7, text: "20 million/s" }
    ])
    for (const figure of ["40 ns", "1.5 M/s", "355 MB/s", "193 MiB/s", "12 /s", "3.6 % of a core"]) {
      assert.deepEqual(findStrays(figure).length, 1, figure)
    }
  })

  it("are not settings, limits, counts and sizes", () => {
    assert.deepEqual(
      findStrays("500 ms, 5 s, 64 MiB, 208 KiB, 20 million slots, 10 % of frames, 10/second, v5/src"),
      []
    )
  })

  it("are not what a program prints", () => {
    assert.deepEqual(findStrays("```text\nsent 12.3 MB/s\n```\n"), [])
  })

  it("are reported with a mark that has no other", () => {
    assert.deepEqual(findStrays("<!-- printed by: pnpm bench store/java -->\n| put | 449 k/s |\n").length, 2)
    assert.deepEqual(findStrays("<!-- end of what was printed -->\n").length, 1)
  })
})

describe("benchmarks that a page names", () => {
  it("are the words behind the command, flags and comments aside", () => {
    const page =
      "`pnpm bench store/java` and\n```sh\npnpm bench core/crc store/append --json   # one\npnpm bench --smoke\n```\n"
    assert.deepEqual(findBenchNames(page), ["store/java", "core/crc", "store/append"])
  })
})
