/**
 * A stranger sends hundreds of thousands of frames, odd ones and malformed ones, to both ends of somebody else's stream:
 * the stream goes on, little is answered, and nothing stays.
 */
import { assert, describe, it } from "@effect/vitest"
import type { FrameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import * as StatusMessageFrame from "@millrace/core/kernel/frame/StatusMessageFrame"
import { readAll } from "../client/HeapClient.ts"
import type { HeapDriver } from "./HeapDriver.ts"
import { HeapNetwork, seeded } from "./HeapNetwork.ts"
import {
  CHANNEL,
  malformedFrame,
  randomFrame,
  SENDER_SOCKET,
  SESSIONS,
  strangerOf,
  TARGET,
  unsolicitedFrame
} from "./HostileFrames.ts"

/** The short form and the long one, which `pnpm stress` runs. */
const FRAMES = process.env["MILLRACE_COUNT"] === undefined ? 15_000 : 400_000
const SEED = Number(process.env["MILLRACE_SEED"] ?? 1)
const FRAMES_PER_MS = 10
const SECOND_MS = 1000
/** Of the stream that is to go on. */
const SESSION = 77
/** Of each session of the stranger one that ends and one that begins, and that of the stream. */
const LOGS_MAX = 2 * SESSIONS.length + 1
/** Longer than any answer to a stranger may be. */
const ANSWER_LENGTH_MAX = 44

const hostileFrame = (random: () => number): readonly [frame: FrameBuffer, length: number] => {
  const kind = random()
  return kind < 0.4 ? unsolicitedFrame(random) : kind < 0.8 ? randomFrame(random) : malformedFrame(random)
}

/** Counters that are there, without those that the driver always has. */
const countersOf = ({ counters }: HeapDriver): number => {
  let count = 0
  counters.forEach(({ typeId }) => (count += typeId === 0 ? 0 : 1))
  return count
}

describe("a hostile sender", () => {
  it("neither stalls a stream nor makes a driver grow, and hears little", { timeout: 600_000 }, () => {
    const world = new HeapNetwork(SEED, { imageLivenessTimeoutNs: 500e6 })
    const random = seeded(SEED)
    const subscription = world.subscriber.addSubscription(CHANNEL)
    const publication = world.publisher.addPublication(`${CHANNEL}|session-id=${SESSION}`, true)
    world.run(200)
    const before = [countersOf(world.sender), countersOf(world.receiver)]
    const stranger = strangerOf(world)
    const askedAtMs = new Map<number, number>()
    let sent = 0
    let read = 0
    const step = (): void => {
      const text = new TextEncoder().encode(`${sent}`)
      if (publication.offer(text, 0, text.length) > 0) {
        sent++
      }
      world.run(1)
      for (const message of readAll(subscription).filter((one) => /^\d+$/.test(one))) {
        assert.strictEqual(message, `${read++}`, `seed ${SEED}`)
      }
      stranger.poll((answer, offset, length) => {
        // Whatever is said to a sender names the session at one place.
        const session = StatusMessageFrame.sessionId(answer, offset)
        if (!SESSIONS.includes(session)) {
          const { nowMs } = world.clock
          assert.isAtMost(length, ANSWER_LENGTH_MAX, `seed ${SEED}`)
          assert.isAtLeast(nowMs - (askedAtMs.get(session) ?? 0), SECOND_MS, `seed ${SEED}: session ${session}`)
          askedAtMs.set(session, nowMs)
        }
      }, 10_000)
    }
    for (let round = 0; round < FRAMES / FRAMES_PER_MS; round++) {
      for (let count = 0; count < FRAMES_PER_MS; count++) {
        const [frame, length] = hostileFrame(random)
        if (random() < 0.7) {
          stranger.send(frame, 0, length, TARGET)
        } else {
          // In the name of its receiver: a sender's socket takes nothing from others.
          world.network.send(TARGET, SENDER_SOCKET, frame, 0, length)
        }
      }
      step()
      assert.isAtMost(world.receiver.logFactory.logs.size, LOGS_MAX, `seed ${SEED}`)
    }
    assert.isTrue(subscription.current.some(({ sessionId }) => sessionId === SESSION))
    assert.strictEqual(read, sent)
    // One a step, but where a term ended.
    assert.isAtLeast(sent, (0.99 * FRAMES) / FRAMES_PER_MS)
    assert.isAbove(askedAtMs.size, 100)
    // What the stranger began ends like every stream whose source is silent.
    world.run(10_000, 10, () => readAll(subscription))
    assert.strictEqual(world.receiver.logFactory.logs.size, 1)
    assert.deepStrictEqual([countersOf(world.sender), countersOf(world.receiver)], before)
  })
})
