import { clock } from "@millrace/core/AgentRunner"
import * as Errno from "@millrace/core/kernel/native/Errno"
import * as Mapping from "@millrace/core/kernel/native/Mapping"
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { assert } from "vitest"
import { makeNodeFileSystem } from "../../src/internal/nodeFileSystem.ts"
import { StoreRuntime } from "../../src/internal/storeRuntime.ts"
import { FileFailure } from "../../src/mapped/FileSystem.ts"
import { options } from "../fixtures/SimulatedStore.ts"
import * as Temporary from "../fixtures/Temporary.ts"

const refusing =
  (code: number, isRefused: (length: number) => boolean): typeof Mapping.open =>
  (path, how) => {
    if (isRefused(how?.length ?? 0)) {
      throw Errno.fromNumber(code, "mmap", path)
    }
    return Mapping.open(path, how)
  }

const ENODEV = 19
const ENOMEM = 12
const EIO = 5
const QUEUE_LENGTH = 20 * 20_000

const openStore = Effect.fnUntraced(function* (map: typeof Mapping.open) {
  const root = yield* Temporary.directory
  const fileSystem = makeNodeFileSystem({ isPositional: false, map })
  const open = Effect.acquireRelease(
    StoreRuntime.open(
      fileSystem,
      {
        ...options,
        storePathRootDir: root,
        storePathCommitLog: [join(root, "commitlog")],
        mappedFileSizeCommitLog: 1024 * 1024,
        mappedFileSizeConsumeQueue: QUEUE_LENGTH
      },
      clock,
      ""
    ),
    (runtime) => runtime.close()
  )
  return { fileSystem, open }
})

const messages = Array.from({ length: 5000 }, (_, id) => ({
  topic: "topic",
  queueId: 0,
  body: Buffer.from(String(id))
}))

describe("makeNodeFileSystem", () => {
  it.effect("says that a part of a mapping cannot be read before it is", () =>
    Effect.gen(function* () {
      const path = join(yield* Temporary.directory, "log")
      const file = makeNodeFileSystem({ isPositional: false }).create(path, 1024 * 1024, "log")
      const prefetch = (offset: number) =>
        Effect.callback<FileFailure | undefined>((resume) =>
          file.prefetch(offset, 4096, (failure) => resume(Effect.succeed(failure)))
        )
      // A page that is behind the end of its file ends the process that touches it, as one does that the device has lost.
      fs.truncateSync(path, 512 * 1024)
      assert.isUndefined(yield* prefetch(0))
      const failure = (yield* prefetch(768 * 1024))!
      assert.deepStrictEqual([failure.code, failure.operation, failure.path], ["EIO", "read", path])
      file.close()
    })
  )

  it.effect("leaves no file behind that was made and cannot be mapped", () =>
    Effect.gen(function* () {
      const directory = yield* Temporary.directory
      const fileSystem = makeNodeFileSystem({ isPositional: false })
      for (const use of ["queue", "index"] as const) {
        // No mapping has a length of 0.
        assert.throws(() => fileSystem.create(join(directory, use), 0, use), FileFailure)
      }
      assert.deepStrictEqual(fs.readdirSync(directory), [])
    })
  )

  it.effect("keeps a store where no file can be mapped, and counts them", () =>
    Effect.gen(function* () {
      const { fileSystem, open } = yield* openStore(refusing(ENODEV, () => true))
      for (let round = 0; round < 2; round++) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            const { service } = yield* open
            const [put] = yield* service.putMany([{ ...messages[round]!, keys: "key" }])
            assert.strictEqual(put!.queueOffset, round)
            assert.lengthOf(yield* service.query({ topic: "topic", key: "key" }), round + 1)
            assert.isAbove((yield* service.status).unmappedFileCount, 0)
          })
        )
      }
      assert.match(fileSystem.refusals.last!.message, /ENODEV.*mmap/)
    })
  )

  it.effect("goes on by position in a file of which no more can be mapped", () =>
    Effect.gen(function* () {
      const isGrowth = (length: number) => length === 4 * 64 * 1024
      const { fileSystem, open } = yield* openStore(refusing(ENOMEM, isGrowth))
      const { service } = yield* open
      yield* service.putMany(messages)
      const { messages: found } = yield* service.get({ topic: "topic", queueId: 0, offset: 4990 })
      assert.deepStrictEqual(
        found.map(({ body }) => Number(Buffer.from(body).toString())),
        [4990, 4991, 4992, 4993, 4994, 4995, 4996, 4997, 4998, 4999]
      )
      assert.strictEqual(fileSystem.refusals.mappings, 1)
    })
  )

  it.effect("takes a device that fails for what it is", () =>
    Effect.gen(function* () {
      const { fileSystem, open } = yield* openStore(refusing(EIO, () => true))
      const { reason } = yield* Effect.flip(Effect.scoped(open))
      assert.strictEqual(reason._tag, "FileFailed")
      assert.strictEqual(fileSystem.refusals.mappings, 0)
    })
  )
})

describe("files that are read as a whole", () => {
  it.effect("are refused with their length and the limit when they are longer", () =>
    Effect.gen(function* () {
      const path = join(yield* Temporary.directory, "topics.json")
      const fileSystem = makeNodeFileSystem({ isPositional: false })
      fs.writeFileSync(path, "{}")
      assert.strictEqual(Buffer.from(fileSystem.readBytes(path)!).toString(), "{}")
      fs.truncateSync(path, 2 ** 40)
      const tooLong = Buffer.alloc(64 * 1024 * 1024 + 1)
      for (const run of [() => fileSystem.readBytes(path), () => fileSystem.replace(path, tooLong)]) {
        try {
          run()
          assert.fail("it was taken")
        } catch (error) {
          assert.instanceOf(error, FileFailure)
          assert.strictEqual(error.code, "EFBIG")
          assert.include(error.message, "67108864")
        }
      }
    })
  )
})
