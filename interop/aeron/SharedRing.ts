/**
 * One ring with producers of both sides: Agrona's compare and set the whole tail, ours its low half where they may. The
 * tail starts a little before a carry. Every message comes once, whole, and in its producer's order.
 */
import { join } from "node:path"
import type { AtomicBuffer } from "../../packages/core/src/memory/AtomicBuffer.ts"
import * as Mapping from "../../packages/core/src/native/Mapping.ts"
import { ManyToOneRingBuffer } from "../../packages/core/src/ringbuffer/ManyToOneRingBuffer.ts"
import * as RingBufferDescriptor from "../../packages/core/src/ringbuffer/RingBufferDescriptor.ts"
import * as Peers from "../../packages/core/test/Peers.ts"
import * as StressMessage from "../../packages/core/test/ringbuffer/StressMessage.ts"
import type { Context } from "../Part.ts"
import { java, killAll, millrace } from "./Process.ts"

const CAPACITY = 64 * 1024
const COUNT = 100_000
const COUNT_LONG = 2_500_000
const PRODUCERS = 4

export const run = async ({ isLong, report, scratch }: Context): Promise<void> => {
  const count = isLong ? COUNT_LONG : COUNT
  for (const carriesAt of [2n ** 32n, 2n ** 33n]) {
    const path = join(scratch, `ring-${carriesAt}`)
    const region = Mapping.create(path, CAPACITY + RingBufferDescriptor.TRAILER_LENGTH, { reserve: true })
    try {
      const wrong = await runRing(path, startedBefore(region.buffer(), carriesAt), count)
      const title = `ring: two producers of each side carry the tail over ${carriesAt}, ${count} messages each`
      report.holds(title, wrong === undefined, wrong ?? "")
    } finally {
      killAll()
      region.close()
    }
  }
}

const startedBefore = (memory: AtomicBuffer, carriesAt: bigint): ManyToOneRingBuffer => {
  const start = carriesAt - BigInt(CAPACITY * 16)
  for (const offset of [
    RingBufferDescriptor.TAIL_POSITION_OFFSET,
    RingBufferDescriptor.HEAD_CACHE_POSITION_OFFSET,
    RingBufferDescriptor.HEAD_POSITION_OFFSET
  ]) {
    memory.view.setBigInt64(CAPACITY + offset, start, true)
  }
  return new ManyToOneRingBuffer(memory)
}

/** Returns what was wrong with the first message that was. */
const runRing = async (path: string, ring: ManyToOneRingBuffer, count: number): Promise<string | undefined> => {
  const producers = [
    java("ring producers", "millrace.interop.RingProducers", [path, String(count), "0,2"]),
    millrace("ringProducer", [path, String(count), "1"]),
    millrace("ringProducer", [path, String(count), "3"])
  ]
  await Promise.all(producers.map((producer) => producer.line("ready")))
  for (const producer of producers) {
    producer.say("go")
  }
  const received = Array.from({ length: PRODUCERS }, () => 0)
  let wrong: string | undefined
  const onMessage = (typeId: number, buffer: AtomicBuffer, offset: number, length: number): void => {
    const producer = buffer.view.getInt32(offset, true)
    const sequence = buffer.view.getInt32(offset + 4, true)
    const isExpected =
      typeId === producer + 1 &&
      sequence === received[producer] &&
      length === StressMessage.HEADER_LENGTH + (sequence % 93) &&
      StressMessage.isWhole(buffer.bytes, offset, length, producer, sequence)
    if (!isExpected) {
      wrong ??= `type ${typeId}, producer ${producer}, sequence ${sequence} after ${received[producer]}`
    }
    received[producer] = sequence + 1
  }
  let isWritten = false
  const ended = Promise.all(producers.map((producer) => producer.end("written"))).finally(() => (isWritten = true))
  // Producers that are killed after a wrong message have nobody who waits for their end.
  ended.catch(() => {})
  while ((!isWritten || ring.size > 0) && wrong === undefined) {
    if (ring.read(onMessage, 64) === 0) {
      await Peers.turn()
    }
  }
  if (wrong === undefined) {
    await ended
  }
  const missing = received.findIndex((messages) => messages !== count)
  return wrong ?? (missing < 0 ? undefined : `${received[missing]} messages of producer ${missing}`)
}
