/** What a store holds, read through each of its queues and found by its index, and held against itself. */
import { RecordCursor } from "../../../store/src/commitlog/RecordCursor.ts"
import type { ConsumeQueue, QueueEntry } from "../../../store/src/consumequeue/ConsumeQueue.ts"
import type { StoreEngine } from "../../../store/src/engine/StoreEngine.ts"
import * as GetMessage from "../../../store/src/reading/GetMessage.ts"
import { check } from "../SimulationFailure.ts"

const LIMITS = { countMax: 10, bytesMax: 1 << 20 }

/** The number that a message carries. */
const numberOf = (body: Uint8Array): number => Number(Buffer.from(body).toString("latin1").split(" ")[0])

export const bodyOf = (number: number, length: number): Uint8Array =>
  Buffer.from(`${number} `.padEnd(length, String.fromCharCode(97 + (number % 26))))

/** Filter bits of a message, of several lengths. */
export const bitsOf = ({ queueOffset }: RecordCursor): Uint8Array =>
  new Uint8Array((queueOffset * 7) % 40).fill(queueOffset + 1)

/** Positions by number of every message. */
export const read = (engine: StoreEngine): Map<number, number> => {
  const found = new Map<number, number>()
  for (const { queue } of engine.queues.all()) {
    for (let offset = queue.minOffset; offset < queue.maxOffset;) {
      const outcome = GetMessage.get(engine.commitLog, queue, offset, LIMITS, undefined, (record, queueOffset) => {
        const body = record.bytes.slice(record.bodyAt, record.bodyAt + record.bodyLength)
        const number = numberOf(body)
        const isAsPut = Buffer.compare(body, bodyOf(number, body.length)) === 0
        check(isAsPut, "messages are as they were put", () => `message ${number} at ${record.physicalOffset}`)
        check(!found.has(number), "each message is there once", () => `message ${number} is there twice`)
        check(
          record.queueOffset === queueOffset && record.topic === queue.topic,
          "queues and log agree",
          () => `entry ${queueOffset} of ${queue.topic} is entry ${record.queueOffset} of ${record.topic} in the log`
        )
        found.set(number, record.physicalOffset)
      })
      check(
        outcome.status === "FOUND",
        "queues are read to their end",
        () => `queue ${queue.queueId} of ${queue.topic} gave ${outcome.status} at ${offset}`
      )
      offset = outcome.nextOffset
    }
  }
  return found
}

/** Each entry's record stands where it says, and ends within the log. */
export const checkLinks = (engine: StoreEngine): void => {
  const entry: QueueEntry = { position: 0, size: 0, tagsCode: 0 }
  for (const { nextOffset, queue } of engine.queues.all()) {
    check(
      nextOffset === queue.maxOffset,
      "queues and log agree",
      () => `queue ${queue.queueId} of ${queue.topic} goes on at ${nextOffset} and ends at ${queue.maxOffset}`
    )
    for (let offset = queue.minOffset; offset < queue.maxOffset; offset++) {
      const isWhole = queue.read(offset, entry) && entry.position + entry.size <= engine.commitLog.maxOffset
      check(isWhole, "queues and log agree", () => `entry ${offset} of ${queue.topic} points to ${entry.position}`)
      checkUnit(engine, queue, offset, entry)
    }
  }
}

/** With an extended queue or without, an entry leads to the tags code of its record. */
const checkUnit = ({ commitLog }: StoreEngine, queue: ConsumeQueue, offset: number, entry: QueueEntry): void => {
  const file = commitLog.files.find(entry.position)
  if (file !== undefined) {
    const record = new RecordCursor().wrap(file.read(0, file.length), entry.position - file.fromOffset)
    const tagsCode = queue.tagsCodeOf(queue.slotOf(offset), entry)
    const bits = queue.bitsOf(queue.slotOf(offset), entry)
    const isWhole = bits.length === 0 || Buffer.compare(bits, bitsOf(record)) === 0
    check(isWhole, "a unit is whole", () => `the unit of entry ${offset} of ${queue.topic} has bits ${bits.join(" ")}`)
    check(
      tagsCode === record.tagsHash(),
      "an entry has its tags code",
      () => `entry ${offset} of ${queue.topic} has ${tagsCode} instead of ${record.tagsHash()}`
    )
  }
}

/** The index finds each message by its key. */
export const checkIndex = (engine: StoreEngine, found: ReadonlyMap<number, number>): void => {
  const cursor = new RecordCursor()
  for (const [number, position] of found) {
    const file = engine.commitLog.files.find(position)!
    const { topic } = cursor.wrap(file.read(0, file.length), position - file.fromOffset)
    const key = `key${number}`
    const positions = engine.index.lookup({ topic, key, countMax: 64, begin: 0, end: Number.MAX_SAFE_INTEGER })
    check(positions.includes(position), "the index knows every key", () => `${key} of ${topic} is not found`)
  }
}
