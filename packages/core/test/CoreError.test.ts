import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as CoreErrorModule from "../src/CoreError.ts"
import { attempt } from "../src/internal/attempt.ts"
import { RegionClosed } from "../src/memory/RegionState.ts"
import { NativeError, NativeUnavailable } from "../src/native/Errno.ts"
import { MappingLengthError } from "../src/native/Mapping.ts"

const { CoreError, reasonOf } = CoreErrorModule

describe("CoreError", () => {
  it("tells the closed region, the missing room, the failed call, the short file and the missing feature apart", () => {
    const call = { syscall: "open", errno: 13, code: "EACCES", path: "/x" }
    const thrown: ReadonlyArray<readonly [Error, string, RegExp]> = [
      [new RegionClosed("/x"), "Closed", /^\/x is closed/],
      [new NativeError(call), "SystemCallFailed", /^open of \/x failed with EACCES: permission denied/],
      [
        new NativeError({ ...call, code: "ENOSPC", space: { requiredBytes: 9, availableBytes: 3 } }),
        "InsufficientSpace",
        /^\/x needs 9 bytes, its file system has 3: .*--shm-size/
      ],
      [new MappingLengthError("/x", 8, 2), "FileTooShort", /^8 bytes of \/x cannot be mapped, the file has 2/],
      [new NativeUnavailable("mmap"), "Unavailable", /^mmap is not available on/]
    ]
    for (const [error, tag, message] of thrown) {
      const reason = reasonOf(error)
      assert(reason !== undefined)
      assert.strictEqual(reason._tag, tag)
      assert.match(new CoreError({ reason }).message, message)
    }
  })

  it("leaves broken invariants to be defects", () => {
    assert.isUndefined(reasonOf(new Error("offset out of range")))
    assert.isUndefined(reasonOf("text"))
  })

  it("says whether trying again may help", () => {
    const retryable = (reason: CoreErrorModule.CoreErrorReason): boolean => new CoreError({ reason }).isRetryable
    assert.isTrue(retryable(new CoreErrorModule.LockHeld({ path: "/x" })))
    assert.isFalse(retryable(new CoreErrorModule.Closed({ resource: "/x" })))
    const failed = { syscall: "mlock", errno: 11, path: "/x", detail: "" }
    assert.isTrue(retryable(new CoreErrorModule.SystemCallFailed({ ...failed, code: "EAGAIN" })))
    assert.isFalse(retryable(new CoreErrorModule.SystemCallFailed({ ...failed, code: "EPERM" })))
  })

  it("states value, limit and remedy in the other reasons", () => {
    const { CapacityExhausted, InvalidFormat, Lapped, LockHeld, MessageTooLong } = CoreErrorModule
    assert.match(new MessageTooLong({ length: 9, lengthMax: 8 }).message, /9 bytes exceeds the maximum of 8: split it/)
    assert.match(new CapacityExhausted({ resource: "counters", capacity: 4 }).message, /counters is full: all 4 places/)
    assert.match(new Lapped({ resource: "b", capacity: 64 }).message, /more than 64 bytes.*Read more often/)
    assert.match(new LockHeld({ path: "/l" }).message, /\/l is locked by another process/)
    const invalid = new InvalidFormat({ format: "log buffer", resource: "/l", detail: "the page size is 3" })
    assert.match(invalid.message, /^\/l is not a valid log buffer: the page size is 3\. .* has to be made anew$/)
  })

  it("survives being encoded", () => {
    const error = new CoreError({ reason: new CoreErrorModule.MessageTooLong({ length: 9, lengthMax: 8 }) })
    const decoded = Schema.decodeUnknownSync(CoreError)(structuredClone(Schema.encodeSync(CoreError)(error)))
    assert.strictEqual(decoded.message, error.message)
  })

  it.effect("is what kernel code fails with inside an Effect; anything else dies", () =>
    Effect.gen(function* () {
      const failing = (thrown: unknown) =>
        attempt(() => {
          throw thrown
        })
      const tag = yield* failing(new RegionClosed("/x")).pipe(
        Effect.catchReason("CoreError", "Closed", (reason) => Effect.succeed(reason.resource))
      )
      assert.strictEqual(tag, "/x")
      const defect = new Error("broken invariant")
      assert.deepStrictEqual(yield* Effect.exit(failing(defect)), Exit.die(defect))
      assert.strictEqual(yield* attempt(() => 5), 5)
    })
  )
})
