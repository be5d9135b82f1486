/** What becomes of a gap: in a stream that need not be whole, and in the loss report. */
import { assert, describe, it } from "@effect/vitest"
import * as DataFrame from "@millrace/core/kernel/frame/DataFrame"
import * as FrameType from "@millrace/core/kernel/frame/FrameType"
import * as HeaderDescriptor from "@millrace/core/kernel/frame/HeaderDescriptor"
import * as LossReportReader from "@millrace/core/kernel/lossreport/LossReportReader"
import type { ClientPublication } from "../../src/client/ClientPublication.ts"
import * as SystemCounters from "../../src/driver/SystemCounters.ts"
import { readAll } from "../client/HeapClient.ts"
import { TERM_LENGTH } from "./HeapDriver.ts"
import { HeapNetwork } from "./HeapNetwork.ts"

const CHANNEL = "aeron:udp?endpoint=10.0.0.2:40456"
/** A message of this length fills a datagram, so that each is lost alone. */
const MESSAGE_LENGTH = 1024 - DataFrame.HEADER_LENGTH

const offer = (publication: ClientPublication, number: number): void => {
  const bytes = new TextEncoder().encode(`${number}`.padEnd(MESSAGE_LENGTH))
  // Where a term has ended the second attempt begins the next.
  const attempt = (): number => publication.offer(bytes, 0, bytes.length)
  assert.isTrue(attempt() > 0 || attempt() > 0)
}

/** Would a gap of an unreliable stream be asked for again, that would be after a second. */
const connect = (isReliable = false) => {
  const world = new HeapNetwork(1, { nakDelayNs: isReliable ? 1e6 : 1e9 })
  const subscription = world.subscriber.addSubscription(`${CHANNEL}|reliable=${isReliable}`)
  const publication = world.publisher.addPublication(`${CHANNEL}|term-length=64k`, true)
  world.run(50)
  /** Loses the data that begins at these offsets of a term, as often as it comes. */
  const lose = (...offsets: ReadonlyArray<number>): void => {
    world.network.faults.drops = (frame) =>
      HeaderDescriptor.type(frame, 0) === FrameType.DATA &&
      !DataFrame.isHeartbeat(frame, 0) &&
      offsets.includes(DataFrame.termOffset(frame, 0))
  }
  const read = (): ReadonlyArray<number> => readAll(subscription).map(Number)
  return { lose, publication, read, world }
}

describe("a gap of an unreliable stream", () => {
  it("holds nothing up: what is behind it can be read at once", () => {
    const { lose, publication, read, world } = connect()
    lose(1024)
    for (let number = 0; number < 3; number++) {
      offer(publication, number)
    }
    world.run(3)
    assert.deepStrictEqual(read(), [0, 2])
    assert.strictEqual(world.receiver.systemCounter(SystemCounters.LOSS_GAP_FILLS), 1)
    assert.strictEqual(world.receiver.systemCounter(SystemCounters.NAK_MESSAGES_SENT), 0)
  })

  it("is as long as all that was lost, and those that follow it are gaps of their own", () => {
    const { lose, publication, read, world } = connect()
    lose(1024, 2048, 3072, 5 * 1024)
    for (let number = 0; number < 8; number++) {
      offer(publication, number)
    }
    world.run(3)
    assert.deepStrictEqual(read(), [0, 4, 6, 7])
    assert.strictEqual(world.receiver.systemCounter(SystemCounters.LOSS_GAP_FILLS), 2)
  })

  it("is filled where it ends a term, and where it ends the stream", () => {
    const { lose, publication, read, world } = connect()
    const perTerm = TERM_LENGTH / 1024
    lose(TERM_LENGTH - 1024)
    const received: Array<number> = []
    for (let number = 0; number < 2 * perTerm; number++) {
      offer(publication, number)
      world.run(1)
      received.push(...read())
    }
    // Nothing follows the last but the heartbeat, which says that it was there.
    world.run(200)
    received.push(...read())
    const whole = Array.from({ length: 2 * perTerm }, (_, number) => number)
    assert.deepStrictEqual(
      received,
      whole.filter((number) => number % perTerm !== perTerm - 1)
    )
    world.publisher.conductor.closePublication(publication, false)
    world.run(4000)
    assert.strictEqual(world.sender.logFactory.logs.size, 0)
  })
})

describe("the loss report", () => {
  it("counts a gap that is asked for many times once, and one that grows for what is new in it", () => {
    const { lose, publication, read, world } = connect(true)
    lose(1024, 2048)
    for (let number = 0; number < 3; number++) {
      offer(publication, number)
      // The heartbeat says that there was more.
      world.run(500)
    }
    assert.isAbove(world.receiver.systemCounter(SystemCounters.NAK_MESSAGES_SENT), 5)
    lose()
    world.run(500)
    assert.deepStrictEqual(read(), [0, 1, 2])
    const losses: Array<readonly [count: bigint, bytes: bigint]> = []
    LossReportReader.read(world.lossReport.buffer(), ({ observationCount, totalBytesLost }) =>
      losses.push([observationCount, totalBytesLost])
    )
    assert.deepStrictEqual(losses, [[2n, 2048n]])
  })
})
