import { assert, describe, it } from "vitest"
import { PutRefusal } from "../../src/engine/PutResult.ts"
import { Directories } from "../../src/mapped/Directories.ts"
import { SimulatedStore } from "../fixtures/SimulatedStore.ts"

const MEBIBYTE = 1024 * 1024
const ROOM = { freeBytes: 100 * MEBIBYTE, totalBytes: 200 * MEBIBYTE }
const LITTLE = { freeBytes: 9000, totalBytes: MEBIBYTE }

describe("Directories", () => {
  it("takes turns by name, and leaves out those that are full, unless all are", () => {
    const directories = new Directories(["/b", "/a", "/c"])
    const turns = () => [0, 1, 2, 3].map((index) => directories.of(index))
    assert.deepStrictEqual(turns(), ["/a", "/b", "/c", "/a"])
    directories.setFull(new Set(["/b"]))
    assert.deepStrictEqual(turns(), ["/a", "/c", "/a", "/c"])
    directories.setFull(new Set(["/a", "/b", "/c"]))
    assert.deepStrictEqual(turns(), ["/a", "/b", "/c", "/a"])
  })

  it("skips one until they are measured anew, but never the last", () => {
    const directories = new Directories(["/a", "/b"])
    assert.isTrue(directories.skip("/a"))
    assert.isFalse(directories.skip("/b"))
    assert.isFalse(directories.skip("/a"))
    assert.strictEqual(directories.of(0), "/b")
    directories.setFull(new Set())
    assert.strictEqual(directories.of(0), "/a")
  })
})

/** A store with a log in two directories, whose devices are as full as `spaces` says. */
const storeOf = (spaces: Map<string, typeof ROOM>) => {
  const store = new SimulatedStore(1, { storePathCommitLog: ["/store/a", "/store/b"] })
  Object.assign(store.disk, { space: (directory: string) => spaces.get(directory) ?? ROOM })
  return store
}

const fill = (store: SimulatedStore, count: number) => {
  for (let id = 0; id < count; id++) {
    store.put({ topic: "topic", queueId: 0, body: Buffer.alloc(2000, id) })
    store.run(5)
  }
}

const namesIn = ({ disk }: SimulatedStore, directory: string) =>
  (disk.entries(directory) ?? []).map(({ name }) => Number(name) / 8192).toSorted((a, b) => a - b)

const filesOf = ({ engine }: SimulatedStore) => engine.commitLog.files.files.map(({ file }) => file.path.slice(0, 8))

describe("a log in several directories", () => {
  it("takes turns between them, and passes one over while that is full", () => {
    const spaces = new Map([
      ["/store/a", ROOM],
      ["/store/b", LITTLE]
    ])
    const store = storeOf(spaces).open()
    fill(store, 12)
    assert.deepStrictEqual(namesIn(store, "/store/b"), [])
    assert.isFalse(store.tryPut({ topic: "topic", queueId: 0, body: Buffer.alloc(10) }) instanceof PutRefusal)
    spaces.set("/store/b", ROOM)
    store.run(100)
    fill(store, 16)
    assert.isAbove(namesIn(store, "/store/b").length, 0)
    store.close()
    assert.strictEqual(store.open().engine.queues.find("topic", 0)!.queue.maxOffset, 29)
    store.kill()
  })

  it("takes the next one when a file does not fit", () => {
    const store = storeOf(new Map()).open()
    store.disk.fault = (operation, path) =>
      operation === "create" && path.startsWith("/store/a/") ? "ENOSPC" : undefined
    fill(store, 8)
    assert.deepStrictEqual(new Set(filesOf(store)), new Set(["/store/b"]))
    store.disk.fault = (operation, path) => (operation === "create" && path.includes("/0") ? "ENOSPC" : undefined)
    const refusals = Array.from({ length: 20 }, () =>
      store.tryPut({ topic: "t", queueId: 0, body: Buffer.alloc(2000) })
    )
    assert.isTrue(refusals.at(-1) instanceof PutRefusal)
    store.kill()
  })

  it("takes messages as long as one of them has room, and cleans when none has", () => {
    const spaces = new Map([
      ["/store/a", LITTLE],
      ["/store/b", ROOM]
    ])
    const store = storeOf(spaces).open()
    fill(store, 40)
    const { files } = store.engine.commitLog.files
    const count = files.length
    assert.isTrue(store.engine.health.isWriteable)
    spaces.set("/store/b", LITTLE)
    store.run(100)
    assert.isFalse(store.engine.health.isWriteable)
    assert.isBelow(files.length, count)
    spaces.set("/store/a", ROOM)
    store.run(100)
    assert.isTrue(store.engine.health.isWriteable)
    store.kill()
  })
})
