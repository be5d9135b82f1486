import { assert, describe, it } from "@effect/vitest"
import { LiveSession, LiveWindow } from "../../src/record/LiveWindow.ts"
import type { StreamMessage } from "../../src/Recorder.ts"
import { sent } from "../fixtures/SentMessages.ts"

const COST = 65

const windowOf = (from: number, to: number, delivered?: number) => {
  const window = new LiveWindow(100 * COST)
  const session = new LiveSession<StreamMessage>(window)
  sent(from, to).forEach((message) => session.add(message, delivered))
  return { session, window }
}

const take = (session: LiveSession<StreamMessage>, delivered: number, countMax = 100) => {
  const taken: Array<StreamMessage> = []
  return [session.take(delivered, countMax, taken), taken.map(({ position }) => position / 64)]
}

describe("a window of live messages", () => {
  it("gives what follows, and nothing before the replay has come there", () => {
    const { session, window } = windowOf(3, 5)
    assert.isFalse(session.goesOnFrom(undefined))
    assert.isFalse(session.goesOnFrom(64))
    assert.deepStrictEqual(take(session, 64), [64, []])
    assert.isTrue(session.goesOnFrom(128))
    assert.deepStrictEqual(take(session, 128, 2), [256, [3, 4]])
    assert.strictEqual(window.bytes, COST)
    assert.deepStrictEqual(take(session, 256), [320, [5]])
    assert.strictEqual(window.bytes, 0)
    assert.isTrue(session.goesOnFrom(320))
    assert.isTrue(session.goesOnFrom(640))
    assert.isFalse(session.goesOnFrom(256))
  })

  it("leaves out what was given already, before and behind", () => {
    const { session, window } = windowOf(3, 9, 4 * 64)
    assert.strictEqual(window.bytes, 5 * COST)
    assert.deepStrictEqual(take(session, 6 * 64), [9 * 64, [7, 8, 9]])
  })

  it("stops before a hole of the live stream", () => {
    const { session } = windowOf(1, 2)
    sent(5, 6).forEach((message) => session.add(message, undefined))
    assert.deepStrictEqual(take(session, 0), [128, [1, 2]])
    assert.isFalse(session.goesOnFrom(128))
    assert.deepStrictEqual(take(session, 256), [384, [5, 6]])
  })

  it("takes a message that does not say where it begins to begin behind the one before it", () => {
    const session = new LiveSession<StreamMessage>(new LiveWindow(1000))
    for (const { startPosition: _startPosition, ...message } of sent(3, 5)) {
      session.add(message, undefined)
    }
    assert.deepStrictEqual(take(session, 128), [128, []])
    assert.deepStrictEqual(take(session, 192), [320, [4, 5]])
  })

  it("is bounded in bytes for all sessions together, but for one message that is longer", () => {
    const { session, window } = windowOf(1, 100)
    const [next] = sent(101, 101)
    assert.isFalse(window.fits(next!))
    session.discardTo(64, 50 * COST)
    assert.isTrue(window.fits(next!))
    session.discardTo(Infinity, 50 * COST)
    assert.strictEqual(session.count, 50)
    assert.strictEqual(session.begin, 50 * 64)
    session.discardTo(60 * 64)
    assert.strictEqual(window.bytes, 40 * COST)
    assert.isFalse(session.goesOnFrom(50 * 64))
    session.discardTo(Infinity)
    assert.isTrue(window.fits({ ...next!, payload: new Uint8Array(1 << 20) }))
  })

  it("keeps the order of many thousands", () => {
    const session = new LiveSession<StreamMessage>(new LiveWindow(Infinity))
    const messages = sent(1, 10_000)
    let delivered = 0
    let added = 0
    const taken: Array<number> = []
    while (delivered < 10_000 * 64) {
      messages.slice(added, added + 700).forEach((message) => session.add(message, delivered))
      added += 700
      const [position, positions] = take(session, delivered, 500) as [number, Array<number>]
      delivered = position
      taken.push(...positions)
    }
    assert.deepStrictEqual(
      taken,
      Array.from({ length: 10_000 }, (_, index) => index + 1)
    )
  })
})
