import { assert, describe, it } from "@effect/vitest"
import * as Screen from "../../src/output/Screen.ts"

describe("Screen", () => {
  it("draws everything on a screen that may show anything", () => {
    assert.strictEqual(Screen.change(undefined, ["a", "b"]), "\u001b[2J\u001b[1;1Ha\u001b[K\u001b[2;1Hb\u001b[K")
  })

  it("sends the lines that changed, and nothing where none did", () => {
    assert.strictEqual(Screen.change(["a", "b", "c"], ["a", "B", "c"]), "\u001b[2;1HB\u001b[K")
    assert.strictEqual(Screen.change(["a"], ["a"]), "")
  })

  it("clears lines that are no longer there", () => {
    assert.strictEqual(Screen.change(["a", "b"], ["a"]), "\u001b[2;1H\u001b[K")
  })

  it("comes back to the screen that was there, with its cursor", () => {
    assert.strictEqual(Screen.ENTER, "\u001b[?1049h\u001b[?25l\u001b[2J")
    assert.strictEqual(Screen.LEAVE, "\u001b[?25h\u001b[?1049l")
  })
})
