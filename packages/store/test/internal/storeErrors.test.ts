import { assert, describe, it } from "vitest"
import { PutRefusal, PutResult } from "../../src/engine/PutResult.ts"
import * as Errno from "@millrace/core/kernel/native/Errno"
import { toFileFailure } from "../../src/internal/fileFailure.ts"
import { flushFailed, fromFileFailure, fromRefusal } from "../../src/internal/storeErrors.ts"
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

  it("says an operation that failed once, and what to do", () => {
    const native = Errno.fromNumber(13, "open", "/store/lock")
    const refused = fromFileFailure(toFileFailure(native, "lock", "/store/lock")).reason.message
    assert.strictEqual(
      refused,
      "lock of /store/lock failed with EACCES: permission denied: check the owner and mode of the file and of the folders above it (open)"
    )
    const bare = new FileFailure({ code: "EIO", operation: "sync", path: "/store/commitlog/0" })
    assert.strictEqual(
      fromFileFailure(bare).reason.message,
      "sync of /store/commitlog/0 failed with EIO: the system says no more"
    )
    assert.notInclude(flushFailed(bare).reason.message, "sync of")
  })
})
