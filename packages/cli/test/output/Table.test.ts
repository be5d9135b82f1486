import { assert, describe, it } from "vitest"
import * as Table from "../../src/output/Table.ts"

const columns: ReadonlyArray<Table.Column> = [{ title: "origin" }, { title: "flights", align: "right" }]

describe("Table", () => {
  it("makes every column as wide as its widest cell and puts numbers to the right", () => {
    assert.deepStrictEqual(
      Table.lines(columns, [
        ["ATL", "1,234"],
        ["Washington", "7"]
      ]),
      ["origin      flights", "ATL           1,234", "Washington        7"]
    )
  })

  it("counts columns of the terminal, not characters", () => {
    assert.deepStrictEqual(
      Table.lines(columns, [
        ["東京", "1"],
        ["a", "2"]
      ]),
      ["origin  flights", "東京          1", "a             2"]
    )
  })

  it("prints the titles of a table without rows", () => {
    assert.deepStrictEqual(Table.lines(columns, []), ["origin  flights"])
  })

  it("styles the titles alone", () => {
    assert.deepStrictEqual(
      Table.lines([{ title: "a" }], [["b"]], (line) => `<${line}>`),
      ["<a>", "b"]
    )
  })
})
