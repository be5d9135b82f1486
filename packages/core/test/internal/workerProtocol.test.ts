import { assert, describe, it } from "vitest"
import { portable } from "../../src/internal/workerProtocol.ts"

describe("an error on its way to another thread", () => {
  it("keeps its name, message, stack and own fields, in its causes too", () => {
    const cause = Object.assign(new RangeError("inner"), { limit: 3 })
    const error = Object.assign(new Error("outer"), { _tag: "Outer", reason: cause })
    const posted = structuredClone(portable(error)) as Record<string, unknown>
    assert.deepInclude(posted, { _tag: "Outer", name: "Error", message: "outer", stack: error.stack })
    assert.deepInclude(posted["reason"], { name: "RangeError", message: "inner", limit: 3 })
  })

  it("loses the fields that cannot be sent rather than itself", () => {
    const error = Object.assign(new Error("outer"), { callback: () => {} })
    assert.deepStrictEqual(portable(error), { name: "Error", message: "outer", stack: error.stack })
  })

  it("is its text when it is no error", () => {
    assert.strictEqual(portable("text"), "text")
    assert.strictEqual(portable(undefined), "undefined")
  })
})
