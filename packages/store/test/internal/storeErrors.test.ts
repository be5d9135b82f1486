import { assert, describe, it } from "vitest"
import { PutRefusal, PutResult } from "../../src/engine/PutResult.ts"
import { fromRefusal } from "../../src/internal/storeErrors.ts"
import { FileFailure } from "../../src/mapped/FileSystem.ts"

describe("storeErrors", () => {
  it("says how many messages of a put were stored before a file failed, whatever the failure", () => {
    const stored = [new PutResult(0, 100, 0, 0, 1), new PutResult(100, 100, 0, 1, 1)]
    for (const [code, tag] of [
      ["ENOSPC", "OutOfSpace"],
      ["EIO", "FileFailed"]
    ] as const) {
      const failure = new FileFailure({ code, operation: "write", path: "/store/commitlog/0" })
      const { reason } = fromRefusal(new PutRefusal({ _tag: "FileFailure", failure }, stored), [], () => assert.fail())
      assert.strictEqual(reason._tag, tag)
      assert.strictEqual("storedCount" in reason && reason.storedCount, 2)
    }
  })
})
