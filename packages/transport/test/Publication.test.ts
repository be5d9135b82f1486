import * as fs from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as LogBufferDescriptor from "@millrace/core/kernel/logbuffer/LogBufferDescriptor"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Channel from "../src/Channel.ts"
import * as Client from "../src/Client.ts"
import * as ExclusivePublication from "../src/ExclusivePublication.ts"
import * as Publication from "../src/Publication.ts"
import * as Subscription from "../src/Subscription.ts"
import { bytesOf, embedded, reasonOf, textOf, until } from "./fixtures/embedded.ts"

const ipc = { channel: "aeron:ipc", streamId: 1001 } as const

const connected = Effect.gen(function* () {
  const subscription = yield* Subscription.make(ipc)
  const publication = yield* Publication.make(ipc)
  yield* until(publication.isConnected)
  return { publication, subscription }
})

/** Takes the next `count` messages of a subscription. */
const take = (subscription: Subscription.Subscription, count: number) =>
  Effect.map(Stream.runCollect(Stream.take(subscription.stream, count)), (messages) =>
    Array.from(messages, (message) => textOf(message))
  )

describe("Publication", () => {
  it.live("answers NotConnected, Accepted and BackPressured without waiting", () =>
    Effect.gen(function* () {
      const publication = yield* Publication.make({ ...ipc, linger: 0 })
      assert.strictEqual((yield* publication.offer(bytesOf("x")))._tag, "NotConnected")
      yield* Subscription.make(ipc)
      yield* until(publication.isConnected)
      yield* until(Effect.map(publication.positionLimit, (limit) => limit > 0))
      const accepted = yield* publication.offer(bytesOf("x"))
      assert.deepStrictEqual(accepted, { _tag: "Accepted", position: 64 })
      const message = new Uint8Array(1000)
      let result = yield* publication.offer(message)
      while (result._tag === "Accepted") {
        result = yield* publication.offer(message)
      }
      assert.strictEqual(result._tag, "BackPressured")
      assert.isBelow(publication.offerUnsafe(message), 0)
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("answers AdminAction where a term ends, and accepts the same message right after", () =>
    Effect.gen(function* () {
      const { publication, subscription } = yield* connected
      const message = bytesOf("x".repeat(3000))
      const results = new Set<string>()
      for (let sent = 0; sent < 60; sent++) {
        let result = yield* publication.offer(message)
        if (result._tag === "AdminAction") {
          results.add("AdminAction")
          result = yield* publication.offer(message)
        }
        results.add(result._tag)
        yield* take(subscription, 1)
        yield* Effect.yieldNow
      }
      assert.deepStrictEqual([...results].toSorted(), ["Accepted", "AdminAction"])
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("ends at the last position of its stream: a sink fails, an offer says so, and all before it arrives", () =>
    Effect.gen(function* () {
      // The last term there is: its id is 2^31 - 1 after the first. It has room for two messages more.
      const channel = "aeron:ipc?term-length=64k|init-term-id=1|term-id=-2147483648|term-offset=65408"
      const subscription = yield* Subscription.make(ipc)
      const publication = yield* ExclusivePublication.make({ ...ipc, channel })
      yield* until(publication.isConnected)
      yield* publication.publish(bytesOf("a"))
      yield* publication.publish(bytesOf("b"))
      const reason = yield* reasonOf(Stream.run(Stream.make(bytesOf("c")), publication.sink))
      assert(reason._tag === "MaxPositionExceeded")
      assert.strictEqual((yield* publication.offer(bytesOf("d")))._tag, "MaxPositionExceeded")
      assert.strictEqual((yield* publication.tryClaim(1))._tag, "MaxPositionExceeded")
      assert.deepStrictEqual(yield* take(subscription, 2), ["a", "b"])
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("says which of many messages were accepted", () =>
    Effect.gen(function* () {
      const { publication } = yield* connected
      const messages = Array.from({ length: 100 }, () => new Uint8Array(1000))
      const { accepted, result } = yield* publication.offerMany(messages)
      assert.isAbove(accepted, 0)
      assert.isBelow(accepted, 100)
      assert.strictEqual(result._tag, "Accepted")
      const rest = yield* publication.offerMany(messages)
      assert.deepStrictEqual(rest, { accepted: 0, result: { _tag: "BackPressured" } })
    }).pipe(Effect.scoped, Effect.provide(embedded({ publicationLingerTimeout: 0 })))
  )

  it.live("delivers an empty message, one of the greatest length, parts, a claim and a batch", () =>
    Effect.gen(function* () {
      const { publication, subscription } = yield* connected
      const longest = "y".repeat(publication.maxMessageLength)
      yield* publication.publish(bytesOf(""))
      yield* publication.publish(bytesOf(longest))
      assert.strictEqual((yield* publication.offerParts([bytesOf("par"), bytesOf("ts")]))._tag, "Accepted")
      const claimed = yield* publication.tryClaim(5)
      assert(claimed._tag === "Claimed")
      claimed.claim.buffer.bytes.set(bytesOf("claim"), claimed.claim.offset)
      claimed.claim.commit()
      const batch = yield* publication.offerBatch(2, 5, (bytes, offset, index) => {
        bytes.set(bytesOf(`bat${index}`), offset)
        return 4
      })
      assert.strictEqual(batch.accepted, 2)
      assert.deepStrictEqual(yield* take(subscription, 6), ["", longest, "parts", "claim", "bat0", "bat1"])
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("refuses a message that is too long, naming the limit", () =>
    Effect.gen(function* () {
      const { publication } = yield* connected
      const tooLong = new Uint8Array(publication.maxMessageLength + 1)
      for (const attempt of [
        publication.offer(tooLong),
        publication.offerMany([new Uint8Array(1), tooLong]),
        publication.offerParts([tooLong]),
        publication.publish(tooLong),
        Stream.run(Stream.make(tooLong), publication.sink)
      ]) {
        const reason = yield* reasonOf<unknown, never>(attempt)
        assert(reason._tag === "MessageTooLong")
        assert.strictEqual(reason.lengthMax, 8192)
        assert.include(reason.message, "8193")
      }
      const claimed = yield* reasonOf(publication.tryClaim(publication.maxPayloadLength + 1))
      const batched = yield* reasonOf(publication.offerBatch(1, publication.maxPayloadLength + 1, () => 0))
      assert.strictEqual(claimed._tag, "MessageTooLong")
      assert.strictEqual(batched._tag, "MessageTooLong")
      assert.strictEqual(yield* publication.position, 0)
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("waits in its sink for a subscriber and for room, and loses nothing", () =>
    Effect.gen(function* () {
      const publication = yield* Publication.make(ipc)
      const source = Stream.range(1, 20_000).pipe(Stream.map((n) => bytesOf(`message ${n}`)))
      const publishing = yield* Effect.forkScoped(Stream.run(source, publication.sink))
      const subscription = yield* Effect.sleep(30).pipe(Effect.andThen(Subscription.make(ipc)))
      const messages = yield* take(subscription, 20_000)
      assert.strictEqual(messages[0], "message 1")
      assert.strictEqual(messages[19_999], "message 20000")
      yield* Fiber.join(publishing)
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("holds up nothing else while another writer stands still in the middle of a rotation", () =>
    Effect.gen(function* () {
      const { publication, subscription } = yield* connected
      const { directory } = yield* Client.Client
      const logs = join(directory, "publications")
      const file = join(logs, fs.readdirSync(logs)[0]!)
      const metadata = fs.statSync(file).size - LogBufferDescriptor.METADATA_LENGTH
      const tail = Buffer.alloc(8)
      const stopped = Buffer.alloc(8)
      const descriptor = fs.openSync(file, "r+")
      fs.readSync(descriptor, tail, 0, 8, metadata)
      // The next term has begun, and the count of terms has not moved: so a writer leaves it that is killed in between.
      stopped.writeInt32LE(tail.readInt32LE(4) + 3, 4)
      fs.writeSync(descriptor, stopped, 0, 8, metadata)
      const publishing = yield* Effect.forkScoped(publication.publishMany([bytesOf("a"), bytesOf("b")]), {
        startImmediately: true
      })
      yield* Effect.sleep(20)
      fs.writeSync(descriptor, tail, 0, 8, metadata)
      fs.closeSync(descriptor)
      assert.deepStrictEqual(yield* take(subscription, 2), ["a", "b"])
      yield* Fiber.join(publishing)
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("fails with NotConnected when no subscriber comes within the connect timeout", () =>
    Effect.gen(function* () {
      const publication = yield* Publication.make({ ...ipc, connectTimeout: 30 })
      const reason = yield* reasonOf(publication.publish(bytesOf("x")))
      assert(reason._tag === "NotConnected")
      assert.isAtLeast(reason.waitedMs, 30)
      assert.include(reason.message, "stream 1001 on aeron:ipc")
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("counts the connect timeout from the last message that was accepted", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const subscription = yield* Scope.provide(Subscription.make(ipc), scope)
      const publication = yield* Publication.make({ ...ipc, connectTimeout: 300 })
      const messages = Array.from({ length: 1000 }, () => new Uint8Array(1000))
      const publishing = yield* Effect.forkChild(reasonOf(publication.publishMany(messages)))
      const startMs = performance.now()
      yield* take(subscription, 1)
      yield* Effect.sleep(200)
      const before = yield* publication.position
      while ((yield* publication.position) === before) {
        yield* take(subscription, 1)
      }
      yield* Scope.close(scope, Exit.void)
      const reason = yield* Fiber.join(publishing)
      assert(reason._tag === "NotConnected")
      assert.isBelow(reason.waitedMs, performance.now() - startMs - 200)
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("keeps what was accepted when a publisher is interrupted", () =>
    Effect.gen(function* () {
      const { publication, subscription } = yield* connected
      const messages = Array.from({ length: 1000 }, (_, index) => bytesOf(`${index}`.padEnd(100)))
      const publishing = yield* Effect.forkScoped(publication.publishMany(messages))
      yield* Effect.sleep(20)
      yield* Fiber.interrupt(publishing)
      const accepted = Math.floor((yield* publication.position) / 160)
      assert.isAbove(accepted, 0)
      const received = yield* take(subscription, accepted)
      assert.strictEqual(received[accepted - 1]!.trim(), `${accepted - 1}`)
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("answers Closed after its scope, and its sink fails with Closed", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      yield* Subscription.make(ipc)
      const publication = yield* Scope.provide(Publication.make(ipc), scope)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* publication.offer(bytesOf("x")))._tag, "Closed")
      assert.strictEqual((yield* publication.tryClaim(1))._tag, "Closed")
      for (const attempt of [
        publication.publish(bytesOf("x")),
        Stream.run(Stream.make(bytesOf("x")), publication.sink),
        Effect.asVoid(publication.position)
      ]) {
        const reason = yield* reasonOf(attempt)
        assert(reason._tag === "Closed")
        assert.include(reason.message, "stream 1001 on aeron:ipc")
      }
      assert.isFalse(yield* publication.isConnected)
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("waits at its end for subscribers that read, and not for one that stands still", () =>
    Effect.gen(function* () {
      const subscription = yield* Subscription.make(ipc)
      const received = yield* Effect.forkScoped(take(subscription, 100))
      yield* Effect.scoped(
        Effect.gen(function* () {
          const publication = yield* Publication.make(ipc)
          yield* publication.publishMany(Array.from({ length: 100 }, (_, index) => bytesOf(`${index}`)))
        })
      )
      assert.strictEqual((yield* Fiber.join(received)).length, 100)
      // Longer than a test may take, if it were waited for.
      yield* Effect.scoped(
        Effect.gen(function* () {
          const publication = yield* Publication.make({ ...ipc, linger: "5 minutes" })
          yield* until(publication.isConnected)
          yield* publication.publish(bytesOf("never read"))
        })
      )
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("publishes values by their schema, as JSON and in binary", () =>
    Effect.gen(function* () {
      const { publication, subscription } = yield* connected
      const Trade = Schema.Struct({ symbol: Schema.String, price: Schema.Finite, at: Schema.Date })
      const trade = { symbol: "ABC", price: 1.5, at: new Date(0) }
      for (const format of ["json", "binary"] as const) {
        const typed = publication.typed(Trade, { format })
        yield* typed.publish(trade)
        assert.strictEqual((yield* typed.offer(trade))._tag, "Accepted")
        yield* Stream.run(Stream.make(trade), typed.sink)
        const received = yield* Stream.runCollect(Stream.take(subscription.typed(Trade, { format }), 3))
        assert.deepStrictEqual(Array.from(received), [trade, trade, trade])
      }
      const wrong = { ...trade, price: Number.NaN }
      assert.strictEqual((yield* reasonOf(publication.typed(Trade).publish(wrong)))._tag, "EncodeFailed")
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("takes a channel as a value or as a URI", () =>
    Effect.gen(function* () {
      const channel = Channel.ipc({ termLength: 128 * 1024, mtu: 4096, alias: "quotes" })
      assert.strictEqual(channel.uri, "aeron:ipc?term-length=131072|mtu=4096|alias=quotes")
      const publication = yield* Publication.make({ channel, streamId: 1 })
      assert.strictEqual(publication.maxMessageLength, 16 * 1024)
      assert.strictEqual(publication.maxPayloadLength, 4064)
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("fails for a channel that is no URI before the driver is asked, and for a refused one with its reason", () =>
    Effect.gen(function* () {
      const invalid = yield* reasonOf(Publication.make({ channel: "aeron:tcp?x=1", streamId: 1 }))
      assert(invalid._tag === "InvalidChannel")
      assert.strictEqual(invalid.parameter, "media")
      const refused = yield* reasonOf(Publication.make({ channel: "aeron:ipc?mtu=33", streamId: 1 }))
      assert(refused._tag === "CommandRefused")
      assert.include(refused.message, "GENERIC_ERROR (11): mtu=33")
      assert.strictEqual(
        (yield* reasonOf(Publication.make({ channel: "aeron:ipc", streamId: 2 ** 31 })))._tag,
        "InvalidOption"
      )
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )
})

describe("ExclusivePublication", () => {
  it.live("has a session of its own", () =>
    Effect.gen(function* () {
      const first = yield* ExclusivePublication.make(ipc)
      const second = yield* ExclusivePublication.make(ipc)
      assert.notStrictEqual(first.sessionId, second.sessionId)
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("shares nothing with a concurrent one of its stream", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* Publication.make(ipc), yield* Publication.make(ipc)]
      const exclusive = yield* ExclusivePublication.make(ipc)
      assert.strictEqual(one.sessionId, two.sessionId)
      assert.notStrictEqual(exclusive.sessionId, one.sessionId)
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )
})
