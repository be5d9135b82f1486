import { assert, describe, it } from "vitest"
import * as HostAddress from "../../src/commitlog/HostAddress.ts"
import type { CommitLog } from "../../src/commitlog/CommitLog.ts"
import * as MessageProperties from "../../src/commitlog/MessageProperties.ts"
import { RecordCursor } from "../../src/commitlog/RecordCursor.ts"
import { RecordEncoder } from "../../src/commitlog/RecordEncoder.ts"
import * as Utf8 from "../../src/commitlog/Utf8.ts"
import * as DelayLevel from "../../src/dispatch/DelayLevel.ts"
import { Reput } from "../../src/dispatch/Reput.ts"
import { FileFailure } from "../../src/mapped/FileSystem.ts"
import { SimulatedStore } from "../fixtures/SimulatedStore.ts"

const message = (id: number) => ({ topic: "topic", queueId: 0, body: Buffer.from(String(id)) })

/** A dispatch of its own over the log of a store with three messages, in front of `dispatch`. */
const over = (commitLog: CommitLog, dispatch: (position: number) => void, from = 0) => {
  const broken: Array<string> = []
  const blocked: Array<FileFailure> = []
  const reput = new Reput(
    {
      commitLog,
      dispatchers: [{ dispatch: (_record, position) => dispatch(position) }],
      visibleEnd: () => commitLog.maxOffset,
      onDispatched: () => {},
      onBroken: (position, reason) => broken.push(`${position}: ${reason}`),
      onBlocked: (failure) => blocked.push(failure)
    },
    from
  )
  return { reput, broken, blocked }
}

const threeMessages = (): { readonly store: SimulatedStore; readonly positions: ReadonlyArray<number> } => {
  const store = new SimulatedStore(1).open()
  const positions = [0, 1, 2].map((id) => store.put(message(id))[0]!.position)
  store.run(100)
  return { store, positions }
}

describe("Reput", () => {
  it("dispatches each record in order, and knows how far it is", () => {
    const { positions, store } = threeMessages()
    const seen: Array<number> = []
    const { reput } = over(store.engine.commitLog, (position) => seen.push(position))
    assert.isFalse(reput.isAtEnd)
    assert.strictEqual(reput.behindBytes, store.engine.commitLog.maxOffset)
    assert.strictEqual(reput.doWork(), 3)
    assert.deepStrictEqual(seen, positions)
    assert.isTrue(reput.isAtEnd)
    assert.strictEqual(reput.doWork(), 0)
  })

  it("stops at a record that is none and says so once", () => {
    const { positions, store } = threeMessages()
    const file = store.engine.commitLog.files.find(0)!
    file.file.claim(positions[1]!, 8).bytes[positions[1]! + 4 - file.file.claim(positions[1]!, 8).base]! ^= 0xff
    const seen: Array<number> = []
    const { broken, reput } = over(store.engine.commitLog, (position) => seen.push(position))
    reput.doWork()
    reput.doWork()
    assert.deepStrictEqual(seen, [positions[0]])
    assert.lengthOf(broken, 1)
    assert.match(broken[0]!, new RegExp(`^${positions[1]}: `))
  })

  it("tries a record again for which a queue had no room, and no other", () => {
    const { positions, store } = threeMessages()
    const seen: Array<number> = []
    const failure = new FileFailure({ code: "ENOSPC", operation: "reserve", path: "/queue" })
    let isFull = true
    const { blocked, reput } = over(store.engine.commitLog, (position) => {
      if (isFull && position === positions[1]) {
        throw failure
      }
      seen.push(position)
    })
    assert.strictEqual(reput.doWork(), 0)
    isFull = false
    assert.strictEqual(reput.doWork(), 2)
    assert.deepStrictEqual(seen, positions)
    assert.deepStrictEqual(blocked, [failure])
  })

  it("lets a defect of a dispatcher be one", () => {
    const { store } = threeMessages()
    const { blocked, reput } = over(store.engine.commitLog, () => {
      throw new TypeError("defect")
    })
    assert.throws(() => reput.doWork(), TypeError)
    assert.isEmpty(blocked)
  })
})

describe("DelayLevel", () => {
  const host = HostAddress.parse("127.0.0.1:1")!
  const encoder = new RecordEncoder({ appendCrcProperty: false, defaultBornHost: host, defaultStoreHost: host })
  const TIME = 1_700_000_000_000

  /** How long after it was stored a record of the delay topic is due; undefined where it has a tags code instead. */
  const delayOf = (level: string | undefined): number | undefined => {
    const properties = level === undefined ? {} : { [MessageProperties.DELAY]: level }
    const input = { topic: DelayLevel.TOPIC, body: new Uint8Array(0), tags: "T", properties }
    const length = encoder.encode(0, input, Utf8.encode(DelayLevel.TOPIC), TIME)
    encoder.stamp(0, length, 0, 0, TIME)
    const record = new RecordCursor().wrap({ bytes: encoder.bytes, view: encoder.view, base: 0 }, 0)
    const due = DelayLevel.deliveryTime(record)
    return due === record.tagsHash() ? undefined : due - TIME
  }

  it("is the time of delivery, that of the last level for those above it", () => {
    assert.deepStrictEqual(["1", "+3", "18", "99"].map(delayOf), [1000, 10_000, 7_200_000, 7_200_000])
  })

  it("is the hash of the tags where there is no level, or none that is a positive number", () => {
    assert.deepStrictEqual([undefined, "0", "-1", "soon"].map(delayOf), [undefined, undefined, undefined, undefined])
  })
})
