import * as fs from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import { CoreError, type CoreErrorReason } from "../src/CoreError.ts"
import { RegionClosed } from "../src/memory/RegionState.ts"
import * as Region from "../src/Region.ts"
import { mountSmallFileSystem, noMountReason } from "@millrace/testkit/smallFileSystem"
import { namesIn, temporaryDirectory } from "@millrace/testkit/temporaryDirectory"

const LENGTH = 64 * 1024

const reasonOf = (exit: Exit.Exit<unknown, CoreError>): CoreErrorReason => {
  assert(Exit.isFailure(exit))
  const error = Cause.squash(exit.cause)
  assert(error instanceof CoreError)
  return error.reason
}

describe("Region", () => {
  it.live("is closed with its scope, and its bytes stay in the file", () =>
    Effect.gen(function* () {
      const path = join(temporaryDirectory(), "region")
      const kept = yield* Effect.scoped(
        Effect.gen(function* () {
          const region = yield* Region.create(path, LENGTH)
          region.buffer().bytes[9] = 3
          yield* Region.sync(region)
          yield* Region.sync(region, 4096, 1)
          yield* Region.prefetch(region)
          assert.isTrue(yield* Region.advise(region, "random", 0, 4096))
          yield* Region.lock(region, 0, 4096)
          return region
        })
      )
      assert.throws(() => kept.buffer(), RegionClosed)
      assert.strictEqual(reasonOf(yield* Effect.exit(Region.sync(kept)))._tag, "Closed")
      assert.strictEqual(reasonOf(yield* Effect.exit(Region.prefetch(kept)))._tag, "Closed")
      assert.strictEqual(reasonOf(yield* Effect.exit(Region.advise(kept, "random")))._tag, "Closed")
      assert.strictEqual(reasonOf(yield* Effect.exit(Region.lock(kept)))._tag, "Closed")
      assert.strictEqual(fs.readFileSync(path)[9], 3)
    })
  )

  it.live("maps what exists, whole or in part, for reading alone if wanted", () =>
    Effect.gen(function* () {
      const path = join(temporaryDirectory(), "region")
      const owner = yield* Region.create(path, LENGTH, { reserve: false, mode: 0o640, preTouch: true })
      const whole = yield* Region.map(path)
      const part = yield* Region.map(path, { readOnly: true, length: 4096 })
      owner.buffer().bytes[100] = 1
      assert.deepStrictEqual([whole.length, part.length], [LENGTH, 4096])
      assert.deepStrictEqual([whole.buffer().bytes[100], part.buffer().bytes[100]], [1, 1])
      assert.strictEqual(fs.statSync(path).mode & 0o777, 0o640)
      assert(fs.statSync(path).blocks * 512 >= LENGTH)
    }).pipe(Effect.scoped)
  )

  it.live("fails with the reason", () =>
    Effect.gen(function* () {
      const path = join(temporaryDirectory(), "region")
      const missing = reasonOf(yield* Effect.exit(Region.map(path)))
      assert(missing._tag === "SystemCallFailed")
      assert.deepStrictEqual([missing.code, missing.path], ["ENOENT", path])
      fs.writeFileSync(path, "abc")
      const tooShort = reasonOf(yield* Effect.exit(Region.map(path, { length: LENGTH })))
      assert(tooShort._tag === "FileTooShort")
      assert.deepStrictEqual([tooShort.requiredBytes, tooShort.fileBytes], [LENGTH, 3])
      const taken = reasonOf(yield* Effect.exit(Region.create(path, LENGTH)))
      assert(taken._tag === "SystemCallFailed")
      assert.strictEqual(taken.code, "EEXIST")
    }).pipe(Effect.scoped)
  )

  it.runIf(noMountReason === undefined)("leaves no file behind when its pages cannot be had", () =>
    Effect.gen(function* () {
      const directory = mountSmallFileSystem(1024 * 1024)
      const path = join(directory, "region")
      const lacking = reasonOf(yield* Effect.exit(Region.create(path, 2 * 1024 * 1024)))
      assert(lacking._tag === "InsufficientSpace")
      assert.strictEqual(lacking.requiredBytes, 2 * 1024 * 1024)
      const sparse = { reserve: false, preTouch: true }
      const failed = reasonOf(yield* Effect.exit(Region.create(path, 2 * 1024 * 1024, sparse)))
      assert(failed._tag === "SystemCallFailed")
      assert.deepStrictEqual([failed.syscall, failed.code, failed.path], ["madvise", "EFAULT", path])
      assert.deepStrictEqual(namesIn(directory), [])
    }).pipe(Effect.scoped, Effect.runPromise)
  )

  it.live("is a heap region when no other process shares it", () =>
    Effect.gen(function* () {
      const region = yield* Effect.scoped(
        Effect.gen(function* () {
          const heap = yield* Region.heap("scratch", 1024)
          assert.instanceOf(heap.memory, SharedArrayBuffer)
          assert.strictEqual(heap.buffer().length, 1024)
          return heap
        })
      )
      assert.throws(() => region.buffer(), RegionClosed, "scratch")
    })
  )
})

const contract = (name: string, layer: () => Layer.Layer<Region.Regions, CoreError>): void => {
  describe(`Regions ${name}`, () => {
    const test = (title: string, body: Effect.Effect<void, CoreError, Region.Regions>) =>
      it.live(title, () => Effect.suspend(() => Effect.provide(body, layer())))

    test(
      "share the bytes of one name",
      Effect.gen(function* () {
        const regions = yield* Region.Regions
        const first = yield* regions.create("log", LENGTH)
        const second = yield* regions.open("log")
        Atomics.store(first.buffer().int32, 5, 77)
        assert.strictEqual(Atomics.load(second.buffer().int32, 5), 77)
        assert.strictEqual(second.length, LENGTH)
      }).pipe(Effect.scoped)
    )

    test(
      "keep the bytes of a name that nobody has open",
      Effect.gen(function* () {
        const regions = yield* Region.Regions
        yield* Effect.scoped(Effect.map(regions.create("log", LENGTH), (region) => void (region.buffer().bytes[1] = 8)))
        const again = yield* regions.open("log")
        assert.strictEqual(again.buffer().bytes[1], 8)
      }).pipe(Effect.scoped)
    )

    test(
      "close each view with the scope that asked for it",
      Effect.gen(function* () {
        const regions = yield* Region.Regions
        const stays = yield* regions.create("log", LENGTH)
        const ends = yield* Effect.scoped(regions.open("log"))
        assert.throws(() => ends.buffer(), RegionClosed)
        assert.strictEqual(stays.buffer().length, LENGTH)
      }).pipe(Effect.scoped)
    )

    test(
      "refuse a name that is taken and one that is not there",
      Effect.gen(function* () {
        const regions = yield* Region.Regions
        yield* regions.create("log", LENGTH)
        const taken = reasonOf(yield* Effect.exit(regions.create("log", LENGTH)))
        assert(taken._tag === "SystemCallFailed")
        assert.strictEqual(taken.code, "EEXIST")
        const missing = reasonOf(yield* Effect.exit(regions.open("other")))
        assert(missing._tag === "SystemCallFailed")
        assert.strictEqual(missing.code, "ENOENT")
      }).pipe(Effect.scoped)
    )

    test(
      "free a name while its region stays usable",
      Effect.gen(function* () {
        const regions = yield* Region.Regions
        const old = yield* regions.create("log", LENGTH)
        yield* regions.remove("log")
        yield* regions.remove("log")
        const young = yield* regions.create("log", LENGTH)
        old.buffer().bytes[0] = 1
        assert.strictEqual(young.buffer().bytes[0], 0)
      }).pipe(Effect.scoped)
    )

    test(
      "take no folder in a name",
      Effect.gen(function* () {
        const regions = yield* Region.Regions
        for (const name of ["../log", "a/b", "", ".."]) {
          for (const call of [regions.create(name, 8), regions.open(name), regions.remove(name)]) {
            assert.isTrue(Exit.hasDies(yield* Effect.exit(Effect.scoped(call))), name)
          }
        }
      })
    )
  })
}

contract("in memory", () => Region.layerHeap)
contract("in a directory", () => Region.layerMapped({ directory: join(temporaryDirectory(), "regions") }))
