/**
 * Random programs of puts, reads, key queries, searches by time, cleaning and openings, beside a list of messages in
 * memory: the store answers what the list does, however its lives end. (What faults of a disk do is the simulator's.)
 */
import { describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { assert } from "vitest"
import type { ConsumeQueue } from "../../src/consumequeue/ConsumeQueue.ts"
import * as GetMessage from "../../src/reading/GetMessage.ts"
import * as OffsetByTime from "../../src/reading/OffsetByTime.ts"
import * as QueryMessage from "../../src/reading/QueryMessage.ts"
import * as TagFilter from "../../src/reading/TagFilter.ts"
import { SimulatedStore } from "../fixtures/SimulatedStore.ts"

const HOUR_MS = 3_600_000
const TOPICS = ["one", "two"]
const TAGS = ["Aa", "BB", "rare"]
const LIMITS = { countMax: 7, bytesMax: 4000 }

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))
const Queue = { topic: Schema.Literals(TOPICS), queueId: upTo(1) }
const Step = Schema.Union([
  Schema.Struct({
    kind: Schema.Literals(["put", "put", "putMany"]),
    ...Queue,
    length: upTo(900),
    tag: upTo(3),
    key: upTo(9)
  }),
  Schema.Struct({
    kind: Schema.Literal("get"),
    ...Queue,
    offset: upTo(60),
    tags: Schema.Literals(["", "Aa", "BB", "rare || Aa", "none"])
  }),
  Schema.Struct({ kind: Schema.Literal("query"), ...Queue, key: upTo(9) }),
  Schema.Struct({ kind: Schema.Literal("time"), ...Queue, back: upTo(400) }),
  Schema.Struct({ kind: Schema.Literals(["wait", "wait", "clean", "close", "kill", "crash"]) })
])

interface Stored {
  readonly id: number
  readonly topic: string
  readonly queueId: number
  readonly queueOffset: number
  readonly position: number
  readonly end: number
  readonly storeTimestamp: number
  readonly tag: string | undefined
  readonly key: string
}

class Program {
  readonly store = new SimulatedStore(7, { flushDiskType: "ASYNC_FLUSH" }).open()
  /** Every message that was stored, in order; those before `minPosition` are gone. */
  readonly stored: Array<Stored> = []
  /** End of each queue, which outlives its messages. */
  readonly ends = new Map<string, number>()
  #id = 0

  get #minPosition(): number {
    return this.store.engine.commitLog.minOffset
  }

  #kept(topic: string, queueId: number): ReadonlyArray<Stored> {
    return this.stored.filter(
      (one) => one.topic === topic && one.queueId === queueId && one.position >= this.#minPosition
    )
  }

  #queue(topic: string, queueId: number): ConsumeQueue | undefined {
    return this.store.engine.queues.find(topic, queueId)?.queue
  }

  put(step: {
    readonly kind: string
    readonly topic: string
    readonly queueId: number
    readonly length: number
    readonly tag: number
    readonly key: number
  }): void {
    const { key, kind, length, queueId, topic } = step
    const tag = TAGS[step.tag]
    const ids = Array.from({ length: kind === "put" ? 1 : 5 }, () => this.#id++)
    const messages = ids.map((id) => ({
      topic,
      queueId,
      body: Buffer.from(`${id} `.padEnd(length)),
      keys: `k${key}`,
      ...(tag === undefined ? {} : { tags: tag })
    }))
    this.store.put(...messages).forEach(({ length: size, position, queueOffset, storeTimestamp }, index) => {
      const name = `${topic}/${queueId}`
      assert.strictEqual(queueOffset, this.ends.get(name) ?? 0)
      this.ends.set(name, queueOffset + 1)
      const end = position + size
      this.stored.push({
        id: ids[index]!,
        topic,
        queueId,
        queueOffset,
        position,
        end,
        storeTimestamp,
        tag,
        key: `k${key}`
      })
    })
    this.store.engine.catchUp()
  }

  get(topic: string, queueId: number, offset: number, tags: string): void {
    const kept = this.#kept(topic, queueId)
    const end = this.ends.get(`${topic}/${queueId}`) ?? 0
    const begin = kept[0]?.queueOffset ?? end
    const filter = tags === "" ? undefined : TagFilter.parse(tags, true)
    const found: Array<number> = []
    let next = offset
    for (let calls = 0; calls <= end + 1; calls++) {
      const queue = this.#queue(topic, queueId)
      const outcome = GetMessage.get(
        this.store.engine.commitLog,
        queue,
        next,
        LIMITS,
        filter,
        (record, queueOffset) => {
          assert.strictEqual(record.queueOffset, queueOffset)
          found.push(
            Number.parseInt(Buffer.from(record.bytes.subarray(record.bodyAt, record.bodyAt + 10)).toString(), 10)
          )
        }
      )
      const expected =
        end === 0
          ? "NO_MESSAGE_IN_QUEUE"
          : next < begin
            ? "OFFSET_TOO_SMALL"
            : next === end
              ? "OFFSET_OVERFLOW_ONE"
              : next > end
                ? "OFFSET_OVERFLOW_BADLY"
                : undefined
      if (expected !== undefined) {
        assert.strictEqual(outcome.status, expected)
        assert.strictEqual(outcome.nextOffset, end === 0 ? 0 : next < begin ? begin : end)
        if (expected !== "OFFSET_TOO_SMALL") {
          break
        }
      } else {
        assert.include(["FOUND", "NO_MATCHED_MESSAGE"], outcome.status)
        assert.isAbove(outcome.nextOffset, next)
      }
      assert.deepStrictEqual([outcome.minOffset, outcome.maxOffset], [begin, end])
      next = outcome.nextOffset
    }
    const wanted = tags === "" ? undefined : tags.split(" || ")
    const matching = kept.filter((one) => wanted === undefined || wanted.includes(one.tag ?? ""))
    const from = offset > end ? end : offset
    assert.deepStrictEqual(
      found,
      matching.filter((one) => one.queueOffset >= from).map(({ id }) => id)
    )
  }

  query(topic: string, key: string): void {
    const { commitLog, index } = this.store.engine
    const request = { topic, key, countMax: 64, begin: 0, end: Number.MAX_SAFE_INTEGER }
    const positions: Array<number> = []
    QueryMessage.query(index, commitLog, request, "any", (record) => void positions.push(record.physicalOffset))
    const expected = this.stored.filter(
      (one) => one.topic === topic && one.key === key && one.position >= this.#minPosition
    )
    assert.deepStrictEqual(
      positions.toReversed(),
      expected.slice(-64).map(({ position }) => position)
    )
  }

  time(topic: string, queueId: number, timeMs: number): void {
    const queue = this.#queue(topic, queueId)
    if (queue === undefined) {
      return
    }
    const kept = this.#kept(topic, queueId)
    const end = this.ends.get(`${topic}/${queueId}`) ?? 0
    const begin = kept[0]?.queueOffset ?? end
    const lower = kept.find((one) => one.storeTimestamp >= timeMs)?.queueOffset ?? end
    const upper = kept.findLast((one) => one.storeTimestamp <= timeMs)?.queueOffset ?? begin
    assert.strictEqual(OffsetByTime.find(this.store.engine.commitLog, queue, timeMs, "lower"), lower)
    assert.strictEqual(OffsetByTime.find(this.store.engine.commitLog, queue, timeMs, "upper"), Math.max(begin, upper))
  }

  /** Files of the log whose messages are all older than an hour go, but never the last. */
  clean(): void {
    const { store } = this
    const before = store.engine.commitLog.files.files.length
    store.nowMs += 2 * HOUR_MS
    store.hour = 4
    store.run(400)
    store.hour = 12
    assert.isAtLeast(store.engine.commitLog.files.files.length, Math.min(1, before))
  }

  end(kind: "close" | "kill" | "crash"): void {
    const { store } = this
    if (kind === "crash") {
      // Everything is on the device; what is not, is the simulator's.
      store.run(400)
    }
    store[kind]()
    store.open()
    assert.strictEqual(store.engine.commitLog.maxOffset, this.stored.at(-1)?.end ?? 0)
  }

  check(): void {
    for (const topic of TOPICS) {
      for (const queueId of [0, 1]) {
        this.get(topic, queueId, 0, "")
      }
    }
  }
}

describe("a store beside a list of messages", () => {
  it.prop(
    "answers what the list answers, whatever is put, cleaned, closed, killed and opened",
    { steps: Schema.Array(Step).check(Schema.isMaxLength(60)) },
    ({ steps }) => {
      const program = new Program()
      for (const step of steps) {
        switch (step.kind) {
          case "put":
          case "putMany":
            program.put(step)
            break
          case "get":
            program.get(step.topic, step.queueId, step.offset, step.tags)
            break
          case "query":
            program.query(step.topic, `k${step.key}`)
            break
          case "time":
            program.time(step.topic, step.queueId, program.store.nowMs - step.back)
            break
          case "wait":
            program.store.run(50)
            break
          case "clean":
            program.clean()
            break
          default:
            program.end(step.kind)
        }
      }
      program.check()
      program.store.close()
    }
  )
})
