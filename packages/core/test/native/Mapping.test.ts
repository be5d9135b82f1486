import * as fs from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import type { MappedRegion } from "../../src/memory/MappedRegion.ts"
import { NativeError } from "../../src/native/Errno.ts"
import * as Mapping from "../../src/native/Mapping.ts"
import { startScript } from "@millrace/testkit/runScript"
import { mountSmallFileSystem, noMountReason } from "@millrace/testkit/smallFileSystem"
import { namesIn, temporaryDirectory } from "@millrace/testkit/temporaryDirectory"

const LENGTH = 64 * 1024
const MEBIBYTE = 1024 * 1024

const createAsync = (path: string, length: number, reserve: boolean): Promise<MappedRegion> =>
  new Promise((resolve, reject) =>
    Mapping.createAsync(path, length, { reserve }, (error, region) =>
      region === undefined ? reject(error) : resolve(region)
    )
  )

describe("Mapping", () => {
  it("shows one mapping what another stores", () => {
    const path = join(temporaryDirectory(), "log")
    const first = Mapping.create(path, LENGTH, { reserve: true })
    const second = Mapping.open(path)
    first.buffer().bytes[LENGTH - 1] = 42
    assert.strictEqual(second.buffer().bytes[LENGTH - 1], 42)
    assert.strictEqual(second.length, LENGTH)
    first.close()
    second.close()
    assert.strictEqual(fs.readFileSync(path)[LENGTH - 1], 42)
  })

  it("reaches beyond 4 GiB", () => {
    const path = join(temporaryDirectory(), "large")
    const length = 5 * 1024 * MEBIBYTE
    const region = Mapping.create(path, length, { reserve: false })
    const { bytes, int32, int64 } = region.buffer()
    assert.deepStrictEqual([bytes.length, int32.length, int64.length], [length, length / 4, length / 8])
    Atomics.store(int32, length / 4 - 1, 0x01020304)
    assert.strictEqual(region.buffer(length - 8, 8).bytes[7], 1)
    region.sync(length - 8, 8)
    assert.isTrue(region.advise("random", length - 4096, 4096))
    region.close()
    const fd = fs.openSync(path, "r")
    const last = new Uint8Array(4)
    fs.readSync(fd, last, 0, 4, length - 4)
    fs.closeSync(fd)
    assert.deepStrictEqual([...last], [4, 3, 2, 1])
  })

  it("adds atomically with another process", async () => {
    const path = join(temporaryDirectory(), "counters")
    const region = Mapping.create(path, LENGTH, { reserve: true })
    const { int32, int64 } = region.buffer()
    const count = 200_000
    const peer = startScript(new URL("fixtures/adder.ts", import.meta.url), [path, String(count)])
    await peer.line("adding")
    for (let index = 0; index < count; index++) {
      Atomics.add(int32, 0, 1)
      Atomics.add(int64, 1, 1n)
    }
    assert.strictEqual((await peer.ended).code, 0)
    assert.strictEqual(int32[0], 2 * count)
    assert.strictEqual(int64[1], BigInt(2 * count))
    region.close()
  })

  it("maps the beginning of a file when a length is given", () => {
    const path = join(temporaryDirectory(), "log")
    Mapping.create(path, LENGTH, { reserve: true }).close()
    const region = Mapping.open(path, { length: 4096 })
    assert.strictEqual(region.length, 4096)
    region.close()
  })

  it("refuses to map beyond the end of a file, an empty one too", () => {
    const path = join(temporaryDirectory(), "log")
    fs.writeFileSync(path, "")
    assert.throws(() => Mapping.open(path), Mapping.MappingLengthError, /0 bytes of .* the file has 0/)
    fs.writeFileSync(path, "abc")
    assert.throws(() => Mapping.open(path, { length: 4 }), Mapping.MappingLengthError, /4 bytes .* the file has 3/)
  })

  it("refuses a name that is taken and leaves that file alone", () => {
    const path = join(temporaryDirectory(), "log")
    fs.writeFileSync(path, "mine")
    assert.throws(() => Mapping.create(path, LENGTH, { reserve: true }), NativeError, /EEXIST/)
    assert.throws(() => Mapping.createAsync(path, LENGTH, { reserve: true }, () => {}), NativeError, /EEXIST/)
    assert.strictEqual(fs.readFileSync(path, "utf8"), "mine")
  })

  it("takes the blocks of a reserved file and none of a sparse one", async () => {
    const directory = temporaryDirectory()
    const blocks = (name: string): number => fs.statSync(join(directory, name)).blocks * 512
    Mapping.create(join(directory, "reserved"), MEBIBYTE, { reserve: true }).close()
    Mapping.create(join(directory, "sparse"), MEBIBYTE, { reserve: false }).close()
    ;(await createAsync(join(directory, "reservedLater"), MEBIBYTE, true)).close()
    ;(await createAsync(join(directory, "sparseLater"), MEBIBYTE, false)).close()
    assert(blocks("reserved") >= MEBIBYTE)
    assert(blocks("reservedLater") >= MEBIBYTE)
    assert.strictEqual(blocks("sparse"), 0)
    assert.strictEqual(blocks("sparseLater"), 0)
  })

  it("leaves no file behind when the room is not there", async () => {
    const directory = temporaryDirectory()
    const path = join(directory, "huge")
    const huge = 2 ** 52
    assert.throws(() => Mapping.create(path, huge, { reserve: true }), NativeError)
    assert.deepStrictEqual(namesIn(directory), [])
    const error = await createAsync(path, huge, true).then(
      () => undefined,
      (reason: unknown) => reason
    )
    assert(error instanceof NativeError)
    assert.deepStrictEqual(namesIn(directory), [])
  })

  it("makes files for their user alone, unless another mode is given", () => {
    const directory = temporaryDirectory()
    Mapping.create(join(directory, "private"), 8, { reserve: false }).close()
    Mapping.create(join(directory, "shared"), 8, { reserve: false, mode: 0o640 }).close()
    assert.strictEqual(fs.statSync(join(directory, "private")).mode & 0o777, 0o600)
    assert.strictEqual(fs.statSync(join(directory, "shared")).mode & 0o777, 0o640)
  })

  it("lets no descriptor stay open behind a mapping", () => {
    const openCount = (): number => fs.readdirSync("/dev/fd").length
    const path = join(temporaryDirectory(), "log")
    Mapping.create(path, LENGTH, { reserve: true }).close()
    const before = openCount()
    const regions = Array.from({ length: 8 }, () => Mapping.open(path))
    assert.strictEqual(openCount(), before)
    regions.forEach((region) => region.close())
    assert.strictEqual(openCount(), before)
  })
})

describe("a read-only mapping", () => {
  it("sees what others store and keeps its own stores to itself", () => {
    const path = join(temporaryDirectory(), "log")
    const owner = Mapping.create(path, LENGTH, { reserve: true })
    const reader = Mapping.open(path, { readOnly: true })
    assert.isTrue(reader.isReadOnly)
    Atomics.store(owner.buffer().int32, 3, 99)
    assert.strictEqual(Atomics.load(reader.buffer().int32, 3), 99)
    reader.buffer().bytes[8192] = 1
    assert.strictEqual(owner.buffer().bytes[8192], 0)
    owner.buffer().bytes[0] = 5
    assert.strictEqual(reader.buffer().bytes[0], 5)
    reader.close()
    owner.close()
    assert.strictEqual(fs.readFileSync(path)[8192], 0)
  })

  it("is possible where the file may only be read", () => {
    const path = join(temporaryDirectory(), "log")
    fs.writeFileSync(path, "published", { mode: 0o400 })
    const reader = Mapping.open(path, { readOnly: true })
    assert.strictEqual(new TextDecoder().decode(reader.buffer().bytes.slice()), "published")
    reader.close()
  })
})

describe("a file made whole", () => {
  it("has its name only when it was initialised", () => {
    const directory = temporaryDirectory()
    const path = join(directory, "cnc.dat")
    const region = Mapping.createInitialised(path, LENGTH, { reserve: true }, (unnamed) => {
      unnamed.buffer().int32[0] = 7
      assert.isFalse(fs.existsSync(path))
    })
    assert.deepStrictEqual(namesIn(directory), ["cnc.dat"])
    assert.strictEqual(region.path, path)
    region.buffer().int32[1] = 8
    const other = Mapping.open(path)
    assert.deepStrictEqual([...other.buffer().int32.subarray(0, 2)], [7, 8])
    region.close()
    other.close()
  })

  it("leaves nothing behind when its making fails or its name is taken", () => {
    const directory = temporaryDirectory()
    const path = join(directory, "cnc.dat")
    const failing = () =>
      Mapping.createInitialised(path, LENGTH, { reserve: true }, () => {
        throw new Error("half-way")
      })
    assert.throws(failing, /half-way/)
    assert.deepStrictEqual(namesIn(directory), [])
    fs.writeFileSync(path, "mine")
    assert.throws(() => Mapping.createInitialised(path, LENGTH, { reserve: true }, () => {}), NativeError, /EEXIST/)
    assert.deepStrictEqual(namesIn(directory), ["cnc.dat"])
    assert.strictEqual(fs.readFileSync(path, "utf8"), "mine")
  })
})

describe.runIf(noMountReason === undefined)("on a file system that fills up", () => {
  const filler = new URL("fixtures/filler.ts", import.meta.url)

  it("stores into a reserved mapping never kill the process", async () => {
    const directory = mountSmallFileSystem(2 * MEBIBYTE)
    const ended = await startScript(filler, [directory, "reserve"]).ended
    assert.deepStrictEqual([ended.stdout, ended.code, ended.signal], ["filled\nstored\n", 0, null])
  })

  it("stores into a sparse mapping do: what reserving is for", async () => {
    const directory = mountSmallFileSystem(2 * MEBIBYTE)
    const ended = await startScript(filler, [directory, "sparse"]).ended
    assert.strictEqual(ended.stdout, "filled\n")
    assert.strictEqual(ended.signal, "SIGBUS")
  })

  it("a sparse mapping that is populated before it is written says so instead", async () => {
    const directory = mountSmallFileSystem(2 * MEBIBYTE)
    const ended = await startScript(filler, [directory, "populate"]).ended
    assert.match(ended.stdout, /^filled\nmadvise of .* failed with EFAULT/)
    assert.strictEqual(ended.signal, null)
  })

  it("a reservation is refused with nothing left behind", async () => {
    const directory = mountSmallFileSystem(MEBIBYTE)
    const path = join(directory, "log")
    assert.throws(
      () => Mapping.create(path, 2 * MEBIBYTE, { reserve: true }),
      NativeError,
      /ENOSPC \(2097152 bytes are/
    )
    assert.deepStrictEqual(namesIn(directory), [])
    const error = await createAsync(path, 2 * MEBIBYTE, true).catch((reason: unknown) => reason)
    assert.match(String(error), /ENOSPC \(2097152 bytes are/)
    assert.deepStrictEqual(namesIn(directory), [])
    Mapping.create(path, MEBIBYTE / 2, { reserve: true }).close()
  })
})
