import { assert, describe, it } from "@effect/vitest"
import * as View from "../../src/top/View.ts"

const pressed = (keys: ReadonlyArray<string>, rowCount = 100): View.View =>
  keys.reduce((view, key) => View.press(view, key, rowCount)!, View.initial)

describe("the keys of top", () => {
  it("end the show", () => {
    for (const key of ["q", "escape"]) {
      assert.isUndefined(View.press(View.initial, key, 0))
    }
  })

  it("sort by one thing after the other, and begin again", () => {
    assert.deepStrictEqual(
      [1, 2, 3, 4].map((presses) => pressed(Array.from({ length: presses }, () => "s")).sort),
      ["behind", "position", "name", "rate"]
    )
    assert.isTrue(pressed(["r"]).isReversed)
  })

  it("choose a table, and begin at its top", () => {
    assert.deepInclude(pressed(["down", "c"]), { table: "clients", scroll: 0 })
    assert.strictEqual(pressed(["e"]).table, "errors")
    assert.strictEqual(pressed(["l"]).table, "losses")
    assert.strictEqual(pressed(["?", "t"]).showsHelp, false)
  })

  it("scroll within the rows that are there", () => {
    assert.strictEqual(pressed(["up"]).scroll, 0)
    assert.strictEqual(pressed(["pagedown", "down", "k"]).scroll, 10)
    assert.strictEqual(pressed(["pagedown", "pagedown"], 12).scroll, 11)
    assert.strictEqual(pressed(["down"], 0).scroll, 0)
    assert.strictEqual(pressed(["pagedown", "home"]).scroll, 0)
  })

  it("pause and help are left as they were entered, and other keys change nothing", () => {
    assert.isTrue(pressed(["p"]).isPaused)
    assert.isFalse(pressed(["p", "space"]).isPaused)
    assert.isFalse(pressed(["?", "h"]).showsHelp)
    assert.deepStrictEqual(pressed(["x"]), View.initial)
  })
})
