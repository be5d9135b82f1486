/** Polls of a subscription and of its images, in all their forms. */
import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as OfferResult from "@millrace/core/kernel/logbuffer/OfferResult"
import * as Effect from "effect/Effect"
import * as Client from "../src/Client.ts"
import * as ExclusivePublication from "../src/ExclusivePublication.ts"
import * as Subscription from "../src/Subscription.ts"
import { bytesOf, embedded, reasonOf, textOf, until } from "./fixtures/embedded.ts"

const ipc = { channel: "aeron:ipc", streamId: 1001 } as const
const { Abort, Break, Commit, Continue } = Subscription.ControlledAction

const connected = Effect.gen(function* () {
  const subscription = yield* Subscription.make(ipc)
  const publication = yield* ExclusivePublication.make({ ...ipc, linger: 0 })
  yield* until(publication.isConnected)
  yield* until(subscription.isConnected)
  const [image] = yield* subscription.currentImages
  return { image: image!, publication, subscription }
})

const collecting = (texts: Array<string>): Subscription.MessageHandler => {
  return (bytes, offset, length) => void texts.push(textOf(bytes.slice(offset, offset + length)))
}

describe("Subscription", () => {
  it.live("polls under the control of its handler, message by message", () =>
    Effect.gen(function* () {
      const { image, publication, subscription } = yield* connected
      const long = "x".repeat(5000)
      yield* publication.publishMany(["a", "b", long, "c"].map(bytesOf))
      const given: Array<string> = []
      const poll = (actionOf: (text: string) => Subscription.ControlledAction) =>
        subscription.controlledPoll((bytes, offset, length) => {
          const text = textOf(bytes.slice(offset, offset + length))
          given.push(text)
          return actionOf(text)
        }, 10)
      assert.strictEqual(yield* poll((text) => (text === "b" ? Abort : Commit)), 1)
      assert.strictEqual(yield* image.position, 64)
      assert.strictEqual(yield* poll(() => Break), 1)
      assert.strictEqual(yield* poll((text) => (text === long ? Abort : Continue)), 0)
      assert.strictEqual(yield* poll(() => Continue), 2)
      assert.deepStrictEqual(given, ["a", "b", "b", long, long, "c"])
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("polls without an effect, and says when it is closed", () =>
    Effect.gen(function* () {
      const texts: Array<string> = []
      const handler = collecting(texts)
      const subscription = yield* Effect.scoped(
        Effect.gen(function* () {
          const { publication, subscription } = yield* connected
          assert.strictEqual(subscription.pollUnsafe(handler, 10), 0)
          yield* publication.publishMany(["a", "b", "c"].map(bytesOf))
          assert.strictEqual(subscription.pollUnsafe(handler, 2), 2)
          assert.strictEqual(
            subscription.pollUnsafe((...message) => handler(...message), 2),
            1
          )
          return subscription
        })
      )
      assert.deepStrictEqual(texts, ["a", "b", "c"])
      assert.strictEqual(subscription.pollUnsafe(handler, 10), OfferResult.CLOSED)
    }).pipe(Effect.provide(embedded()))
  )

  it.live("polls one image alone", () =>
    Effect.gen(function* () {
      const { image, publication, subscription } = yield* connected
      const other = yield* ExclusivePublication.make({ ...ipc, linger: 0 })
      yield* until(Effect.map(subscription.currentImages, ({ length }) => length === 2))
      yield* publication.publishMany([bytesOf("one"), bytesOf("two")])
      yield* other.publish(bytesOf("other"))
      const texts: Array<string> = []
      assert.strictEqual(yield* image.poll(collecting(texts), 10), 2)
      assert.deepStrictEqual(texts, ["one", "two"])
      const found = yield* subscription.imageBySessionId(other.sessionId)
      assert.strictEqual(yield* found!.controlledPoll(() => Abort, 10), 0)
      assert.strictEqual(yield* found!.poll(collecting(texts), 10), 1)
      assert.deepStrictEqual(texts, ["one", "two", "other"])
      assert.strictEqual(yield* subscription.imageBySessionId(1), undefined)
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("polls an image up to a position and no further, however often", () =>
    Effect.gen(function* () {
      const { image, publication, subscription } = yield* connected
      yield* publication.publishMany(["a", "b", "c", "d"].map(bytesOf))
      const texts: Array<string> = []
      assert.strictEqual(yield* image.boundedPoll(collecting(texts), 128, 10), 2)
      assert.strictEqual(yield* image.boundedPoll(collecting(texts), 128, 10), 0)
      assert.strictEqual(yield* image.boundedControlledPoll(() => Abort, 192, 10), 0)
      assert.strictEqual(yield* image.boundedControlledPoll(() => Continue, 192, 10), 1)
      assert.strictEqual(yield* image.position, 192)
      assert.strictEqual(yield* subscription.poll(collecting(texts), 10), 1)
      assert.deepStrictEqual(texts, ["a", "b", "d"])
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("names the counters of a stream, which show to tools what it says itself", () =>
    Effect.gen(function* () {
      const { image, publication, subscription } = yield* connected
      yield* publication.publish(bytesOf("a"))
      yield* subscription.poll(() => {}, 10)
      const { countersUnsafe, nextCorrelationId } = yield* Client.Client
      const counters = countersUnsafe()
      assert.strictEqual(counters.value(image.subscriberPositionId), BigInt(yield* image.position))
      assert.strictEqual(counters.value(publication.positionLimitId), BigInt(yield* publication.positionLimit))
      assert.deepStrictEqual([publication.channelStatusId, subscription.channelStatusId], [-1, -1])
      assert.isAbove(Number((yield* nextCorrelationId) - publication.registrationId), 0)
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("hands over blocks, which are in the file that they name, and which another stream takes as they are", () =>
    Effect.gen(function* () {
      const { publication, subscription } = yield* connected
      yield* publication.publishMany(["one", "two"].map(bytesOf))
      yield* publication.appendPadding(100)
      const blocks: Array<{ readonly bytes: Uint8Array; readonly onDisk: Uint8Array }> = []
      const take = subscription.rawPoll(({ bytes, file, fileOffset, length, termOffset }) => {
        const onDisk = new Uint8Array(length)
        const fd = fs.openSync(file, "r")
        fs.readSync(fd, onDisk, 0, length, fileOffset)
        fs.closeSync(fd)
        blocks.push({ bytes: bytes.slice(termOffset, termOffset + length), onDisk })
      }, 64 * 1024)
      assert.strictEqual(yield* take, 128)
      assert.strictEqual(yield* subscription.blockPoll(() => {}, 64 * 1024), 160)
      assert.strictEqual(yield* take, 0)
      assert.deepStrictEqual(blocks[0]!.bytes, blocks[0]!.onDisk)

      const { initialTermId, sessionId } = publication
      const position = `init-term-id=${initialTermId}|term-id=${initialTermId}|term-offset=0`
      const channel = `aeron:ipc?${position}|session-id=${sessionId}`
      const copies = yield* Subscription.make({ channel: "aeron:ipc", streamId: 1002 })
      const copy = yield* ExclusivePublication.make({ channel, streamId: 1002, linger: 0 })
      yield* until(copies.isConnected)
      yield* until(copy.isConnected)
      const refused = yield* reasonOf(copy.offerBlock(blocks[0]!.bytes))
      assert(refused._tag === "InvalidBlock")
      assert.strictEqual(refused.field, "stream id")
      assert.include(refused.message, "1001")
      const frames = blocks[0]!.bytes.slice()
      const view = new DataView(frames.buffer)
      view.setInt32(16, 1002, true)
      view.setInt32(64 + 16, 1002, true)
      assert.deepStrictEqual(yield* copy.offerBlock(frames), { _tag: "Accepted", position: 128 })
      const texts: Array<string> = []
      yield* copies.poll(collecting(texts), 10)
      assert.deepStrictEqual(texts, ["one", "two"])
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("fails polls after it was closed, and those of its images give nothing", () =>
    Effect.gen(function* () {
      const { image, subscription } = yield* connected.pipe(Effect.scoped)
      for (const poll of [
        subscription.poll(() => {}, 1),
        subscription.controlledPoll(() => Continue, 1),
        subscription.blockPoll(() => {}, 1000),
        subscription.rawPoll(() => {}, 1000)
      ]) {
        assert.strictEqual((yield* reasonOf(poll))._tag, "Closed")
      }
      assert.strictEqual(yield* image.poll(() => {}, 1), 0)
      assert.strictEqual(yield* image.boundedPoll(() => {}, Infinity, 1), 0)
      assert.strictEqual(yield* image.rawPoll(() => {}, 1000), 0)
    }).pipe(Effect.provide(embedded()))
  )
})

describe("a reserved value", () => {
  it.live("is what its supplier gives for each frame, and comes with the message", () =>
    Effect.gen(function* () {
      const { publication, subscription } = yield* connected
      const sum: ExclusivePublication.ExclusivePublication["offer"] = (message) =>
        publication.offer(message, (term, frameOffset, frameLength) =>
          BigInt(term.bytes.subarray(frameOffset + 32, frameOffset + frameLength).reduce((a, b) => a + b, 0))
        )
      yield* sum(Uint8Array.of(1, 2, 3))
      yield* publication.offerParts([bytesOf("par"), bytesOf("ts")], () => -7n)
      yield* publication.offer(bytesOf("none"))
      const values: Array<bigint> = []
      yield* subscription.poll((_bytes, _offset, _length, { reservedValue }) => void values.push(reservedValue), 10)
      assert.deepStrictEqual(values, [6n, -7n, 0n])
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )
})
