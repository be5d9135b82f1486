import * as fs from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Client } from "../src/Client.ts"
import * as ExclusivePublication from "../src/ExclusivePublication.ts"
import type { FragmentBatch } from "../src/FragmentBatch.ts"
import type { Image } from "../src/Image.ts"
import * as Publication from "../src/Publication.ts"
import * as Subscription from "../src/Subscription.ts"
import { bytesOf, embedded, reasonOf, textOf, until } from "./fixtures/embedded.ts"

const ipc = { channel: "aeron:ipc", streamId: 1001 } as const

const connected = Effect.gen(function* () {
  const subscription = yield* Subscription.make(ipc)
  const publication = yield* Publication.make(ipc)
  yield* until(publication.isConnected)
  yield* until(subscription.isConnected)
  return { publication, subscription }
})

const textsOf = (batch: FragmentBatch): ReadonlyArray<string> =>
  Array.from({ length: batch.count }, (_, index) => textOf(batch.message(index)))

const firstImage = (subscription: Subscription.Subscription): Effect.Effect<Image> =>
  Effect.map(Effect.orDie(Stream.runCollect(Stream.take(subscription.images, 1))), ([image]) => image!)

describe("Subscription", () => {
  it.live("gives batches that may be kept, with positions and sessions", () =>
    Effect.gen(function* () {
      const { publication, subscription } = yield* connected
      yield* publication.publishMany([bytesOf("a"), bytesOf("bb")])
      const [batch] = yield* Stream.runCollect(Stream.take(subscription.batches, 1))
      const filler = Array.from({ length: 500 }, () => new Uint8Array(500))
      const draining = yield* Effect.forkScoped(Stream.runDrain(subscription.stream))
      yield* publication.publishMany(filler)
      yield* Fiber.interrupt(draining)
      assert.isTrue(batch!.isOwned)
      assert.deepStrictEqual(textsOf(batch!), ["a", "bb"])
      assert.deepStrictEqual(Array.from(batch!.positions.slice(0, 2)), [64, 128])
      assert.strictEqual(batch!.sessionId, publication.sessionId)
      assert.strictEqual(batch!.streamId, 1001)
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("gives messages with their session and positions, owned or lent until the next pull", () =>
    Effect.gen(function* () {
      const { publication, subscription } = yield* connected
      const { sessionId } = publication
      yield* publication.publishMany([bytesOf("a"), bytesOf("b".repeat(3000)), bytesOf("c")])
      const take = (messages: Subscription.Subscription["messages"], count: number) =>
        messages.pipe(
          Stream.take(count),
          Stream.map(({ payload, ...place }) => ({ ...place, text: textOf(payload) })),
          Stream.runCollect
        )
      const [first, second] = yield* take(subscription.borrowedMessages, 2)
      const [third] = yield* take(subscription.messages, 1)
      assert.deepStrictEqual(first, { sessionId, streamId: 1001, startPosition: 0, position: 64, text: "a" })
      assert.deepInclude(second, { sessionId, startPosition: 64, text: "b".repeat(3000) })
      assert.deepInclude(third, { sessionId, startPosition: second!.position, text: "c" })
      assert.strictEqual(yield* publication.position, third!.position)
      yield* publication.publishMany([bytesOf("d")])
      const [image] = yield* subscription.currentImages
      assert.strictEqual((yield* take(image!.borrowedMessages, 1))[0]!.startPosition, third!.position)
      yield* publication.publishMany([bytesOf("e")])
      assert.strictEqual((yield* take(image!.messages, 1))[0]!.text, "e")
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("lends batches until the next pull: the driver cleans nothing that is being read", () =>
    Effect.gen(function* () {
      const { publication, subscription } = yield* connected
      // Two thirds of the window, so that the limit would move if the position did.
      yield* publication.publishMany(Array.from({ length: 20 }, (_, index) => bytesOf(`${index}`.padEnd(1000))))
      yield* subscription.borrowedBatches.pipe(
        Stream.take(1),
        Stream.runForEach((batch) =>
          Effect.gen(function* () {
            assert.isFalse(batch.isOwned)
            const limit = yield* publication.positionLimit
            yield* Effect.sleep(50)
            assert.strictEqual(yield* publication.positionLimit, limit)
            assert.strictEqual(textsOf(batch)[19]!.trim(), "19")
          })
        )
      )
      const limit = yield* publication.positionLimit
      assert.isAbove(limit, 0)
      // The scope of the stream has closed: what was lent is given back.
      yield* until(Effect.map(publication.positionLimit, (moved) => moved >= 20 * 1056 + 32 * 1024))
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("gives messages that stay as they are, in order, across many rotations", () =>
    Effect.gen(function* () {
      const { publication, subscription } = yield* connected
      const count = 5000
      const source = Stream.range(0, count - 1).pipe(Stream.map((n) => bytesOf(`${n}`.padEnd(100 + (n % 2000)))))
      yield* Effect.forkScoped(Stream.run(source, publication.sink))
      const messages = yield* Stream.runCollect(Stream.take(subscription.stream, count))
      Array.from(messages).forEach((message, index) => {
        assert.strictEqual(message.length, 100 + (index % 2000))
        assert.strictEqual(Number.parseInt(textOf(message), 10), index)
      })
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("polls without waiting, assembled messages too", () =>
    Effect.gen(function* () {
      const { publication, subscription } = yield* connected
      assert.strictEqual(yield* subscription.poll(() => assert.fail("nothing is there"), 10), 0)
      yield* publication.publishMany([bytesOf("short"), bytesOf("z".repeat(4000)), bytesOf("last")])
      const seen: Array<readonly [string, number]> = []
      const handler: Subscription.MessageHandler = (bytes, offset, length, header) => {
        seen.push([textOf(bytes.subarray(offset, offset + length)), header.position])
      }
      assert.strictEqual(yield* subscription.poll(handler, 1), 1)
      assert.strictEqual(yield* subscription.poll(handler, 10), 2)
      assert.deepStrictEqual(
        seen.map(([text]) => text),
        ["short", "z".repeat(4000), "last"]
      )
      assert.strictEqual(seen[2]![1], yield* publication.position)
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("polls with one header for all messages, which reads a reserved value when it is asked for", () =>
    Effect.gen(function* () {
      const { publication, subscription } = yield* connected
      const headers = new Set<Subscription.MessageHeader>()
      const seen: Array<readonly [number, number, number, number, bigint]> = []
      const handler: Subscription.MessageHandler = (_bytes, _offset, _length, header) => {
        headers.add(header)
        seen.push([header.position, header.flags, header.sessionId, header.streamId, header.reservedValue])
      }
      const claimed = yield* publication.tryClaim(8)
      assert(claimed._tag === "Claimed")
      claimed.claim.reservedValue = 77n
      claimed.claim.commit()
      yield* publication.publishMany([bytesOf("a"), bytesOf("b")])
      assert.strictEqual(yield* subscription.poll(handler, 2), 2)
      assert.strictEqual(yield* subscription.poll(handler, 5), 1)
      const { sessionId } = publication
      assert.deepStrictEqual(seen, [
        [64, 0xc0, sessionId, 1001, 77n],
        [128, 0xc0, sessionId, 1001, 0n],
        [192, 0xc0, sessionId, 1001, 0n]
      ])
      assert.strictEqual(headers.size, 1)
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("takes its images in turn", () =>
    Effect.gen(function* () {
      const subscription = yield* Subscription.make({ ...ipc, batchCountMax: 1 })
      const busy = yield* ExclusivePublication.make({ ...ipc, linger: 0 })
      const quiet = yield* ExclusivePublication.make({ ...ipc, linger: 0 })
      yield* until(Effect.map(subscription.currentImages, (images) => images.length === 2))
      yield* busy.publishMany(Array.from({ length: 100 }, () => bytesOf("busy")))
      yield* quiet.publish(bytesOf("quiet"))
      const messages = yield* Stream.runCollect(Stream.take(subscription.stream, 3))
      assert.include(
        Array.from(messages, (message) => textOf(message)),
        "quiet"
      )
    }).pipe(Effect.scoped, Effect.provide(embedded({ publicationLingerTimeout: 0 })))
  )

  it.live("does not end when its images do", () =>
    Effect.gen(function* () {
      const subscription = yield* Subscription.make(ipc)
      const received = yield* Effect.forkScoped(Stream.runCollect(Stream.take(subscription.stream, 2)))
      for (const text of ["first", "second"]) {
        yield* Effect.scoped(Effect.flatMap(Publication.make(ipc), (publication) => publication.publish(bytesOf(text))))
        yield* until(Effect.map(subscription.isConnected, (isConnected) => !isConnected))
      }
      assert.deepStrictEqual(
        Array.from(yield* Fiber.join(received), (message) => textOf(message)),
        ["first", "second"]
      )
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("fails its streams with Closed after its scope", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const subscription = yield* Scope.provide(Subscription.make(ipc), scope)
      const waiting = yield* Effect.forkScoped(reasonOf(Stream.runDrain(subscription.stream)))
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "Closed")
      for (const attempt of [
        Stream.runDrain(subscription.batches),
        Stream.runDrain(subscription.borrowedBatches),
        Stream.runDrain(subscription.images),
        Effect.asVoid(subscription.poll(() => {}, 1))
      ]) {
        const reason = yield* reasonOf(attempt)
        assert(reason._tag === "Closed")
        assert.include(reason.message, "stream 1001 on aeron:ipc")
      }
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("fails with DecodeFailed, skips or shows what does not decode, as told", () =>
    Effect.gen(function* () {
      const { publication, subscription } = yield* connected
      const schema = Schema.Struct({ n: Schema.Int })
      const messages = [bytesOf(`{"n":1}`), bytesOf(`{"n":"x"}`), Uint8Array.of(0xff, 0xfe), bytesOf(`{"n":2}`)]
      yield* publication.publishMany(messages)
      const reason = yield* reasonOf(Stream.runDrain(subscription.typed(schema)))
      assert(reason._tag === "DecodeFailed")
      assert.strictEqual(reason.position, 128)
      yield* publication.publishMany(messages)
      const skipped = yield* Stream.runCollect(Stream.take(subscription.typed(schema, { onInvalid: "skip" }), 2))
      assert.deepStrictEqual(Array.from(skipped), [{ n: 1 }, { n: 2 }])
      yield* publication.publishMany(messages)
      const results = yield* Stream.runCollect(Stream.take(subscription.typedResults(schema), 4))
      assert.deepStrictEqual(
        Array.from(results, (result) => Result.isSuccess(result)),
        [true, false, false, true]
      )
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("keeps the decoded messages of a batch together, those before one that does not decode too", () =>
    Effect.gen(function* () {
      const { publication, subscription } = yield* connected
      const messages = Array.from({ length: 50 }, (_, n) => bytesOf(n === 40 ? "none" : `${n}`))
      const lengths = (onInvalid: "fail" | "skip") =>
        Effect.gen(function* () {
          const seen: Array<number> = []
          yield* publication.publishMany(messages)
          yield* subscription.typed(Schema.Finite, { onInvalid }).pipe(
            Stream.take(49),
            Stream.runForEachArray((array) => Effect.sync(() => void seen.push(array.length))),
            Effect.ignore
          )
          return seen
        })
      assert.deepStrictEqual(yield* lengths("skip"), [49])
      assert.deepStrictEqual(yield* lengths("fail"), [40])
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("refuses limits that cannot be", () =>
    Effect.gen(function* () {
      const reason = yield* reasonOf(Subscription.make({ ...ipc, batchCountMax: 0 }))
      assert(reason._tag === "InvalidOption")
      assert.strictEqual(reason.option, "batchCountMax")
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )
})

describe("Image", () => {
  it.live("ends its streams at the end of the publication, after the last message", () =>
    Effect.gen(function* () {
      const subscription = yield* Subscription.make(ipc)
      const received = yield* Effect.forkScoped(
        Effect.flatMap(firstImage(subscription), (image) => Stream.runCollect(image.stream))
      )
      yield* Effect.scoped(
        Effect.flatMap(Publication.make(ipc), (publication) =>
          publication.publishMany(Array.from({ length: 50 }, (_, index) => bytesOf(`${index}`)))
        )
      )
      const messages = yield* Fiber.join(received)
      assert.strictEqual(messages.length, 50)
      assert.strictEqual(textOf(messages[49]!), "49")
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("says where it comes from and where it stands", () =>
    Effect.gen(function* () {
      const { publication, subscription } = yield* connected
      const image = yield* firstImage(subscription)
      assert.strictEqual(image.sessionId, publication.sessionId)
      assert.strictEqual(image.sourceIdentity, "aeron:ipc")
      assert.strictEqual(image.joinPosition, 0)
      yield* publication.publish(bytesOf("x"))
      yield* Stream.runDrain(Stream.take(image.borrowedBatches, 1))
      assert.strictEqual(yield* image.position, 64)
      assert.isFalse(yield* image.isEndOfStream)
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("gives the images that are there and those that come", () =>
    Effect.gen(function* () {
      const subscription = yield* Subscription.make(ipc)
      const first = yield* ExclusivePublication.make(ipc)
      yield* until(first.isConnected)
      const sessions = yield* Effect.forkScoped(
        Stream.runCollect(
          subscription.images.pipe(
            Stream.map(({ sessionId }) => sessionId),
            Stream.take(2)
          )
        )
      )
      const second = yield* ExclusivePublication.make(ipc)
      assert.deepStrictEqual(Array.from(yield* Fiber.join(sessions)), [first.sessionId, second.sessionId])
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("fails with ImageRevoked when its publication is revoked", () =>
    Effect.gen(function* () {
      const subscription = yield* Subscription.make(ipc)
      const publication = yield* ExclusivePublication.make(ipc)
      const image = yield* firstImage(subscription)
      yield* publication.publish(bytesOf("read"))
      const reading = yield* Effect.forkScoped(reasonOf(Stream.runDrain(image.stream)))
      yield* until(Effect.map(image.position, (position) => position === 64))
      yield* publication.revoke
      const reason = yield* Fiber.join(reading)
      assert(reason._tag === "ImageRevoked")
      assert.strictEqual(reason.position, 64)
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("fails with Corrupt when its log was written over, and its subscription reads the others on", () =>
    Effect.gen(function* () {
      const subscription = yield* Subscription.make(ipc)
      const bad = yield* ExclusivePublication.make({ ...ipc, linger: 0 })
      const image = yield* firstImage(subscription)
      yield* bad.publishMany([bytesOf("before"), bytesOf("overwritten")])
      const { directory } = yield* Client
      const log = fs.openSync(join(directory, "publications", `${bad.registrationId}.logbuffer`), "r+")
      fs.writeSync(log, Int32Array.of(7), 0, 4, 64)
      fs.closeSync(log)
      const before = yield* Stream.runCollect(Stream.take(image.stream, 1))
      assert.deepStrictEqual(before.map(textOf), ["before"])
      const reason = yield* reasonOf(Stream.runDrain(image.stream))
      assert(reason._tag === "Corrupt")
      assert.include(reason.message, `session ${bad.sessionId}`)
      const good = yield* ExclusivePublication.make(ipc)
      yield* until(good.isConnected)
      yield* good.publish(bytesOf("other"))
      const [other] = yield* Stream.runCollect(Stream.take(subscription.stream, 1))
      assert.strictEqual(textOf(other!), "other")
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("fails with ImageLost when it is rejected", () =>
    Effect.gen(function* () {
      const { publication, subscription } = yield* connected
      const image = yield* firstImage(subscription)
      yield* publication.publish(bytesOf("x"))
      yield* image.reject("not wanted")
      yield* until(image.isClosed)
      const reason = yield* reasonOf(Stream.runDrain(image.stream))
      assert.strictEqual(reason._tag, "ImageLost")
      const tooLong = yield* reasonOf(image.reject("x".repeat(2000)))
      assert.strictEqual(tooLong._tag, "CommandRefused")
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )
})
