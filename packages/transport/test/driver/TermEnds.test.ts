/** Where one term ends and the next begins: the places at which a stream is lost, overwritten or taken for another. */
import { assert, describe, it } from "@effect/vitest"
import * as DataFrame from "@millrace/core/kernel/frame/DataFrame"
import * as FrameType from "@millrace/core/kernel/frame/FrameType"
import * as HeaderDescriptor from "@millrace/core/kernel/frame/HeaderDescriptor"
import { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import type { ClientPublication } from "../../src/client/ClientPublication.ts"
import { FragmentBatch } from "@millrace/core/kernel/logbuffer/FragmentBatch"
import { readAll } from "../client/HeapClient.ts"
import { TERM_LENGTH, type HeapDriver } from "./HeapDriver.ts"
import { HeapNetwork, seeded } from "./HeapNetwork.ts"

const IPC = "aeron:ipc?term-length=64k"
const UDP = "aeron:udp?endpoint=10.0.0.2:40456|term-length=64k"
const FRAME_LENGTH = 1024
const ZEROS = Buffer.alloc(TERM_LENGTH)
const PUBLISHER_LIMIT = 1

const encoder = new TextEncoder()

const offer = (publication: ClientPublication, text: string): number => {
  const bytes = encoder.encode(text)
  return publication.offer(bytes, 0, bytes.length)
}

const connect = (seed: number, channel: string) => {
  const world = new HeapNetwork(seed)
  const subscription = world.subscriber.addSubscription(channel)
  const isIpc = channel.startsWith("aeron:ipc")
  const publication = (isIpc ? world.subscriber : world.publisher).addPublication(channel, true)
  world.run(200)
  return { world, subscription, publication, driver: isIpc ? world.receiver : world.sender }
}

/** Numbered messages of this length until `count` have arrived. */
const carry = (
  { publication, subscription, world }: ReturnType<typeof connect>,
  count: number,
  length: number
): ReadonlyArray<string> => {
  const received: Array<string> = []
  let sent = 0
  for (let passed = 0; passed < 10_000 && received.length < count; passed++) {
    while (sent < count && offer(publication, `${sent}`.padEnd(length, ".")) >= 0) {
      sent++
    }
    world.run(1)
    received.push(...readAll(subscription))
  }
  return received
}

const numbered = (count: number, length: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `${index}`.padEnd(length, "."))

/** Loses each frame that ends a term, the first time that it is sent. */
const loseLastFrames = ({ network }: HeapNetwork, type: number): (() => number) => {
  const lost = new Set<number>()
  network.faults.drops = (frame) => {
    if (HeaderDescriptor.type(frame, 0) !== type) {
      return false
    }
    const end = DataFrame.termOffset(frame, 0) + HeaderDescriptor.frameLength(frame, 0)
    const termId = DataFrame.termId(frame, 0)
    return end === TERM_LENGTH && lost.size !== lost.add(termId).size
  }
  return () => lost.size
}

/** Bytes of the log from one position to another, which are less than two terms apart, are all zero. */
const isClean = (log: LogBuffers, from: number, to: number): boolean => {
  for (let position = from; position < to;) {
    const offset = position % TERM_LENGTH
    const end = Math.min(TERM_LENGTH, offset + to - position)
    const { bytes } = log.terms[Math.floor(position / TERM_LENGTH) % 3]!
    if (Buffer.compare(bytes.subarray(offset, end), ZEROS.subarray(offset, end)) !== 0) {
      return false
    }
    position += end - offset
  }
  return true
}

const logOf = ({ logFactory }: HeapDriver): LogBuffers =>
  new LogBuffers(logFactory.map([...logFactory.logs.keys()][0]!))

describe("the end of a term", () => {
  it.each([
    // A whole number of these frames fills a term; of those that fill a datagram none does.
    ["message", FrameType.DATA, FRAME_LENGTH - DataFrame.HEADER_LENGTH],
    ["padding", FrameType.PAD, 1408 - DataFrame.HEADER_LENGTH]
  ] as const)("is asked for again when its last %s is lost and more follows", (_what, type, length) => {
    const streams = connect(1, UDP)
    const lost = loseLastFrames(streams.world, type)
    const count = Math.ceil((4.5 * TERM_LENGTH) / (length + DataFrame.HEADER_LENGTH))
    assert.deepStrictEqual(carry(streams, count, length), numbered(count, length))
    assert.strictEqual(lost(), 4)
  })

  it("is asked for again when its last message is lost and nothing follows", () => {
    const streams = connect(2, UDP)
    const lost = loseLastFrames(streams.world, FrameType.DATA)
    const length = FRAME_LENGTH - DataFrame.HEADER_LENGTH
    const count = TERM_LENGTH / FRAME_LENGTH
    assert.deepStrictEqual(carry(streams, count, length), numbered(count, length))
    assert.strictEqual(streams.publication.position(), TERM_LENGTH)
    assert.strictEqual(lost(), 1)
  })

  it.each([IPC, UDP])("with the greatest term id is followed by the least one on %s", (channel) => {
    const initial = 2 ** 31 - 2
    const streams = connect(3, `${channel}|init-term-id=${initial}|term-id=${initial + 1}|term-offset=65504`)
    streams.world.network.faults.lossRate = 0.05
    assert.deepStrictEqual(carry(streams, 400, 1000), numbered(400, 1000))
    assert.isAbove(streams.publication.position(), 6 * TERM_LENGTH)
  })

  it.each([IPC, UDP])("is far enough from where publishers may go that all before them is clean, on %s", (channel) => {
    const { driver, publication, subscription, world } = connect(4, channel)
    const random = seeded(4)
    const log = logOf(driver)
    const batch = new FragmentBatch(100)
    const limitOf = (): number => Number(driver.counter(PUBLISHER_LIMIT, publication.registrationId)!.value)
    const message = new Uint8Array(publication.maxMessageLength).fill(255)
    for (let step = 0; step < 1500; step++) {
      for (let offers = random() * 4; offers > 0; offers--) {
        publication.offer(message, 0, 1 + Math.floor(random() * message.length))
      }
      if (random() < 0.7) {
        world.run(1)
      }
      const image = random() < 0.8 ? subscription.read(batch, 1 + random() * TERM_LENGTH) : undefined
      image?.release()
      // Whoever claims below the limit may write that much beyond it.
      const end = limitOf() + message.length
      assert.isTrue(isClean(log, publication.position(), end), `step ${step}: ${publication.position()} to ${end}`)
    }
    assert.isAbove(publication.position(), 10 * TERM_LENGTH)
  })
})
