import { assert, describe, it } from "@effect/vitest"
import type { AtomicBuffer } from "../../src/memory/AtomicBuffer.ts"
import { ManyToOneRingBuffer } from "../../src/ringbuffer/ManyToOneRingBuffer.ts"
import {
  HEAD_POSITION_OFFSET,
  TAIL_POSITION_OFFSET,
  TRAILER_LENGTH
} from "../../src/ringbuffer/RingBufferDescriptor.ts"
import * as Peers from "../Peers.ts"
import * as StressMessage from "./StressMessage.ts"

const CAPACITY = 16 * 1024
const PRODUCERS = 4
/** Messages between two starts of the producers: each round carries the tail over once. */
const ROUND_LENGTH_MAX = 2_000_000

const OWN = "./ringProducer.peer.ts"
/** Compares the whole tail, where a producer of this machine may compare its low half. */
const WHOLE = "./ringProducerAtomics.peer.ts"

const CASES = [
  { name: "workers", mode: "workers", peers: [OWN, OWN, OWN, OWN], carriesAt: 2n ** 32n },
  { name: "processes", mode: "processes", peers: [OWN, OWN, OWN, OWN], carriesAt: 2n ** 33n },
  { name: "processes of both kinds", mode: "processes", peers: [OWN, WHOLE, OWN, WHOLE], carriesAt: 2n ** 32n },
  { name: "workers of both kinds", mode: "workers", peers: [OWN, WHOLE, OWN, WHOLE], carriesAt: 2n ** 33n },
  {
    name: "processes that compare the whole tail",
    mode: "processes",
    peers: [WHOLE, WHOLE, WHOLE, WHOLE],
    carriesAt: 2n ** 33n
  }
] as const

/** Checks that each producer's messages come whole and in order, none twice and none left out. */
class Checker {
  readonly received: Array<number> = Array.from({ length: PRODUCERS }, () => 0)
  total = 0
  private readonly nextLengths: ReadonlyArray<() => number>

  constructor(seed: number) {
    this.nextLengths = this.received.map((_, producer) => StressMessage.lengths(seed, producer))
  }

  onMessage = (typeId: number, buffer: AtomicBuffer, offset: number, length: number): void => {
    const producer = buffer.view.getInt32(offset, true)
    const sequence = buffer.view.getInt32(offset + 4, true)
    // An assertion library's check takes longer than the message: it is called for failures alone.
    if (typeId !== producer + 1 || sequence !== this.received[producer] || length !== this.nextLengths[producer]!()) {
      assert.fail(`type ${typeId}, producer ${producer}, sequence ${sequence} after ${this.received[producer]}`)
    }
    if (!StressMessage.isWhole(buffer.bytes, offset, length, producer, sequence)) {
      assert.fail(`message ${sequence} of producer ${producer} is torn`)
    }
    this.received[producer] = sequence + 1
    this.total++
  }
}

describe("ManyToOneRingBuffer under stress", () => {
  for (const { mode, name, peers, carriesAt } of CASES) {
    it(`takes every message of four producers in ${name}, whole and in order`, async () => {
      const total = Peers.countOr(60_000)
      const rounds = Math.ceil(total / ROUND_LENGTH_MAX)
      for (let round = 0; round < rounds; round++) {
        const messageCount = Math.ceil(total / rounds / PRODUCERS)
        await produceAndCheck(mode, peers, carriesAt, messageCount, Peers.seed + round)
      }
    })
  }

  it("loses nothing of the living when producers are killed and what they left is unblocked", async () => {
    const rounds = Math.ceil(Peers.countOr(200_000) / 200_000)
    const shared = Peers.share("processes", CAPACITY + TRAILER_LENGTH)
    try {
      const ring = new ManyToOneRingBuffer(shared.region.buffer())
      for (let round = 0; round < rounds; round++) {
        await killAndUnblock(ring, shared, Peers.seed + round)
      }
    } finally {
      shared.remove()
    }
  })
})

/** The tail starts a little before `carriesAt`, so that all producers carry it over in the middle of their work. */
const produceAndCheck = async (
  mode: "workers" | "processes",
  peers: ReadonlyArray<string>,
  carriesAt: bigint,
  messageCount: number,
  seed: number
): Promise<void> => {
  const shared = Peers.share(mode, CAPACITY + TRAILER_LENGTH)
  try {
    const memory = shared.region.buffer()
    const start = carriesAt - BigInt(CAPACITY * 64)
    memory.view.setBigInt64(CAPACITY + TAIL_POSITION_OFFSET, start, true)
    memory.view.setBigInt64(CAPACITY + HEAD_POSITION_OFFSET, start, true)
    const ring = new ManyToOneRingBuffer(memory)
    const checker = new Checker(seed)
    const producers = checker.received.map((_, producer) =>
      shared.start(import.meta.url, peers[producer]!, { producer, messageCount, seed })
    )
    while (producers.some((producer) => producer.isRunning()) || ring.size > 0) {
      if (ring.read(checker.onMessage, 64) === 0) {
        await Peers.turn()
      }
    }
    await Promise.all(producers.map((producer) => producer.result))
    assert.deepStrictEqual(
      checker.received,
      checker.received.map(() => messageCount)
    )
    assert.isAbove(ring.producerPosition, Number(carriesAt))
    assert.isTrue(
      shared.region.buffer(0, CAPACITY).bytes.every((byte) => byte === 0),
      "the consumer left everything zero"
    )
  } finally {
    shared.remove()
  }
}

/** One producer writes to its end; the others write without end and are killed at different depths of the ring. */
const killAndUnblock = async (ring: ManyToOneRingBuffer, shared: Peers.SharedRegion, seed: number): Promise<void> => {
  const messageCount = 5000
  const checker = new Checker(seed)
  const random = Peers.random(seed)
  const producers = checker.received.map((_, producer) =>
    shared.start(import.meta.url, "./ringProducer.peer.ts", {
      producer,
      messageCount: producer === 0 ? messageCount : 2 ** 31,
      seed
    })
  )
  const [survivor, ...doomed] = producers
  const killAt = doomed.map(() => 500 + (random() % 3000))
  const stall = new Stall(ring)
  while (producers.some((producer) => producer.isRunning()) || ring.size > 0) {
    if (ring.read(checker.onMessage, 16) === 0) {
      await Peers.turn()
    }
    doomed.forEach((producer, index) => {
      if (checker.received[index + 1]! >= killAt[index]! || stall.isLasting()) {
        producer.kill()
      }
    })
    const mayUnblock = stall.isLasting() && !doomed.some((producer) => producer.isRunning())
    if (mayUnblock && !stall.isAtRecordOf(1) && !ring.unblock() && !survivor!.isRunning()) {
      // The last of all claims was not begun: no record behind it says where it ends, and none will come.
      break
    }
  }
  assert.strictEqual(await survivor!.result, messageCount)
  assert.strictEqual(checker.received[0], messageCount)
}

/** How long the consumer has stood still before something that was claimed, as a driver watches its ring. */
class Stall {
  private readonly ring: ManyToOneRingBuffer
  private position = -1
  private since = 0

  constructor(ring: ManyToOneRingBuffer) {
    this.ring = ring
  }

  isLasting(): boolean {
    const position = this.ring.consumerPosition
    if (position !== this.position || this.ring.size === 0) {
      this.position = position
      this.since = performance.now()
    }
    return performance.now() - this.since > 300
  }

  /** Whether the record that everything waits for says that it is of this type: a producer that is alive. */
  isAtRecordOf(typeId: number): boolean {
    return this.ring.buffer.view.getInt32((this.position % CAPACITY) + 4, true) === typeId
  }
}
