/** What a client that reconnects goes through when its driver ends and another one starts in the same directory. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { temporaryDirectory } from "@millrace/testkit/temporaryDirectory"
import * as Client from "../src/Client.ts"
import * as Counters from "../src/Counters.ts"
import * as ExclusivePublication from "../src/ExclusivePublication.ts"
import * as Health from "../src/Health.ts"
import type { ImageEvent } from "../src/Image.ts"
import * as MediaDriver from "../src/MediaDriver.ts"
import type { MediaDriverOptions } from "../src/MediaDriverConfig.ts"
import * as Publication from "../src/Publication.ts"
import * as Subscription from "../src/Subscription.ts"
import { bytesOf, freePort, reasonOf, textOf, until } from "./fixtures/embedded.ts"

const ipc = { channel: "aeron:ipc", streamId: 1001, linger: 0 } as const

type Start = Effect.Success<typeof restartable>["start"]

interface Restartable {
  readonly first: Effect.Success<ReturnType<Start>>
  readonly start: Start
}

/** A directory whose driver can be ended and started again. */
const restartable = Effect.sync(() => {
  const directory = join(temporaryDirectory(), "driver")
  const start = (options: MediaDriverOptions = {}) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const driver = MediaDriver.layer({
        directory,
        threading: "invoker",
        media: "none",
        ipcTermBufferLength: 64 * 1024,
        timerInterval: "20 millis",
        ...options
      })
      yield* Layer.buildWithScope(driver, scope)
      return { stop: Scope.close(scope, Exit.void) }
    })
  return { directory, start }
})

/** What is logged is another test's matter. */
const quiet = Logger.layer([])

const reconnecting = (directory: string, options: Client.ClientOptions = {}) => {
  const client = Client.layerWith({
    directory,
    keepaliveInterval: "20 millis",
    reconnect: true,
    ...options
  })
  return Counters.layer.pipe(Layer.provideMerge(Health.layer), Layer.provideMerge(client), Layer.provideMerge(quiet))
}

/** Runs a program as a client of a driver that it may stop, and of those that it starts after it. */
const connected = <A, E>(
  program: (
    driver: Restartable
  ) => Effect.Effect<A, E, Client.Client | Counters.Counters | Health.Health | Scope.Scope>,
  options: { readonly client?: Client.ClientOptions; readonly driver?: MediaDriverOptions } = {}
) =>
  Effect.gen(function* () {
    const { directory, start } = yield* restartable
    const first = yield* start(options.driver)
    const client = reconnecting(directory, options.client)
    return yield* program({ first, start }).pipe(Effect.scoped, Effect.provide(client))
  }).pipe(Effect.scoped)

/** Every status from now on, in the order in which they come. */
const statuses = Effect.gen(function* () {
  const { status } = yield* Client.Client
  const seen: Array<Client.ClientStatus> = []
  yield* Stream.runForEach(status, (next) => Effect.sync(() => seen.push(next))).pipe(
    Effect.forkScoped({ startImmediately: true })
  )
  return seen
})

const untilTag = (seen: ReadonlyArray<Client.ClientStatus>, tag: Client.ClientStatus["_tag"]) =>
  until(Effect.sync(() => seen.at(-1)?._tag === tag))

describe("a client that reconnects", () => {
  it.live("goes on with its streams and sinks, and says what the driver took with it", () =>
    connected(({ first, start }) =>
      Effect.gen(function* () {
        const seen = yield* statuses
        const client = yield* Client.Client
        const subscription = yield* Subscription.make(ipc)
        const publication = yield* Publication.make(ipc)
        const received: Array<string> = []
        yield* Stream.runForEach(subscription.stream, (message) =>
          Effect.sync(() => received.push(textOf(message)))
        ).pipe(Effect.forkScoped({ startImmediately: true }))
        yield* publication.publish(bytesOf("before"))
        yield* until(Effect.sync(() => received.length === 1))
        const { sessionId } = publication

        yield* first.stop
        yield* untilTag(seen, "Waiting")
        assert.strictEqual((yield* publication.offer(bytesOf("refused")))._tag, "NotConnected")
        assert.isBelow(publication.offerUnsafe(bytesOf("refused")), 0)
        assert.strictEqual(yield* publication.position, 64)
        assert.strictEqual(yield* publication.availableWindow, 0)
        assert.strictEqual(yield* publication.channelStatus, "Initializing")
        assert.strictEqual(yield* subscription.poll(() => {}, 1), 0)
        const waiting = yield* Effect.forkScoped(publication.publish(bytesOf("while waiting")))

        yield* start()
        yield* Fiber.join(waiting)
        yield* publication.publish(bytesOf("after"))
        yield* until(Effect.sync(() => received.length === 3))
        assert.deepStrictEqual(received, ["before", "while waiting", "after"])
        assert.deepStrictEqual(
          seen.map(({ _tag }) => _tag),
          ["Connected", "Waiting", "Reconnected"]
        )
        const lost = seen[1]!
        const back = seen[2]!
        assert(lost._tag === "Waiting" && back._tag === "Reconnected")
        assert.strictEqual(lost.reason._tag, "DriverEnded")
        assert.deepStrictEqual(back.reason, lost.reason)
        assert.deepStrictEqual(back.undrained, [])
        assert.deepStrictEqual(back.unrestored, [])
        assert.notStrictEqual(publication.sessionId, sessionId)
        assert.strictEqual(client.clientId, back.clientId)
      })
    )
  )

  it.live("says how many bytes were accepted and not read", () =>
    connected(({ first, start }) =>
      Effect.gen(function* () {
        const seen = yield* statuses
        const subscription = yield* Subscription.make(ipc)
        const publication = yield* ExclusivePublication.make(ipc)
        yield* until(publication.isConnected)
        yield* until(subscription.isConnected)
        yield* publication.publishMany([bytesOf("read"), bytesOf("lost"), bytesOf("lost")])
        assert.strictEqual(yield* subscription.poll(() => {}, 1), 1)
        yield* first.stop
        yield* untilTag(seen, "Waiting")
        const waiting = seen.at(-1)!
        assert(waiting._tag === "Waiting")
        const { channel, sessionId, streamId } = publication
        assert.deepStrictEqual(waiting.undrained, [{ channel, streamId, sessionId, position: 192, bytes: 128 }])
        yield* start()
        yield* untilTag(seen, "Reconnected")
        yield* publication.publish(bytesOf("after"))
        yield* until(subscription.isConnected)
        const texts = yield* Stream.runCollect(Stream.take(subscription.stream, 1))
        assert.deepStrictEqual(texts.map(textOf), ["after"])
      })
    )
  )

  it.live("tells the end of the old images and the coming of the new, and ends the streams of an image", () =>
    connected(({ first, start }) =>
      Effect.gen(function* () {
        const seen = yield* statuses
        const subscription = yield* Subscription.make(ipc)
        yield* Publication.make(ipc)
        const events: Array<ImageEvent["_tag"]> = []
        yield* Stream.runForEach(subscription.imageEvents, ({ _tag }) => Effect.sync(() => events.push(_tag))).pipe(
          Effect.forkScoped({ startImmediately: true })
        )
        yield* until(subscription.isConnected)
        const [image] = yield* subscription.currentImages
        yield* first.stop
        yield* untilTag(seen, "Waiting")
        assert.strictEqual((yield* reasonOf(Stream.runDrain(image!.stream)))._tag, "DriverEnded")
        assert.strictEqual((yield* reasonOf(image!.reject("late")))._tag, "DriverEnded")
        yield* start()
        yield* until(Effect.sync(() => events.length === 3))
        assert.deepStrictEqual(events, ["Available", "Unavailable", "Available"])
      })
    )
  )

  it.live("makes counters anew with their values, and whatever is asked for meanwhile", () =>
    connected(({ first, start }) =>
      Effect.gen(function* () {
        const seen = yield* statuses
        const counters = yield* Counters.Counters
        const { check } = yield* Health.Health
        const orders = yield* counters.add({ typeId: 1001, label: "orders" })
        const shared = yield* counters.addStatic({ typeId: 1002, label: "shared", registrationId: 7n })
        yield* orders.set(5n)
        yield* shared.set(6n)
        yield* first.stop
        yield* untilTag(seen, "Waiting")
        assert.strictEqual(yield* orders.add(10n), 15n)
        assert.strictEqual((yield* reasonOf(counters.list))._tag, "DriverEnded")
        assert.strictEqual((yield* check).status, "Down")
        const adding = yield* Effect.forkScoped(Publication.make(ipc), { startImmediately: true })
        yield* start()
        const publication = yield* Fiber.join(adding)
        assert.strictEqual(yield* publication.channelStatus, "Active")
        assert.strictEqual(yield* orders.get, 15n)
        const [found] = yield* counters.find(1001)
        assert.deepInclude(found, { value: 15n, registrationId: orders.registrationId, label: "orders" })
        assert.strictEqual((yield* counters.find(1002, 7n))[0]!.value, 6n)
        assert.notStrictEqual((yield* check).status, "Down")
      })
    )
  )

  it.live("gives up what the new driver refuses, saying why, and goes on with the rest", () =>
    connected(
      ({ first, start }) =>
        Effect.gen(function* () {
          const port = yield* freePort()
          const seen = yield* statuses
          const udp = yield* Publication.make({
            channel: `aeron:udp?endpoint=127.0.0.1:${port}`,
            streamId: 1,
            linger: 0
          })
          const publication = yield* Publication.make(ipc)
          yield* first.stop
          yield* untilTag(seen, "Waiting")
          // Without a network.
          yield* start()
          yield* untilTag(seen, "Reconnected")
          const back = seen.at(-1)!
          assert(back._tag === "Reconnected")
          const [unrestored] = back.unrestored
          assert.strictEqual(back.unrestored.length, 1)
          assert.strictEqual(unrestored!.reason._tag, "CommandRefused")
          assert.include(unrestored!.resource, `127.0.0.1:${port}`)
          for (const use of [udp.offer(bytesOf("x")), udp.publish(bytesOf("x")), udp.position, udp.channelStatus]) {
            assert.deepStrictEqual(yield* reasonOf<unknown, never>(use), unrestored!.reason)
          }
          assert.strictEqual((yield* publication.offer(bytesOf("x")))._tag, "NotConnected")
          assert.strictEqual(yield* publication.channelStatus, "Active")
        }),
      { driver: { media: "portable" } }
    )
  )

  it.live("closes what is closed while there is no driver, and makes nothing of it anew", () =>
    connected(({ first, start }) =>
      Effect.gen(function* () {
        const seen = yield* statuses
        const scope = yield* Scope.make()
        const publication = yield* Publication.make(ipc).pipe(Scope.provide(scope))
        yield* Subscription.make(ipc).pipe(Scope.provide(scope))
        yield* first.stop
        yield* untilTag(seen, "Waiting")
        yield* Scope.close(scope, Exit.void)
        assert.strictEqual((yield* publication.offer(bytesOf("x")))._tag, "Closed")
        assert.strictEqual((yield* reasonOf(publication.publish(bytesOf("x"))))._tag, "Closed")
        yield* start()
        yield* untilTag(seen, "Reconnected")
        const { list } = yield* Counters.Counters
        const types = (yield* list).map(({ typeId }) => typeId).filter((typeId) => typeId !== 0 && typeId !== 11)
        assert.deepStrictEqual(types, [])
      })
    )
  )

  it.live("ends when no driver comes in time, and its status with it", () =>
    connected(
      ({ first }) =>
        Effect.gen(function* () {
          const client = yield* Client.Client
          const subscription = yield* Subscription.make(ipc)
          const publication = yield* Publication.make(ipc)
          const tags: Array<Client.ClientStatus["_tag"]> = []
          const following = yield* Stream.runForEach(client.status, ({ _tag }) =>
            Effect.sync(() => tags.push(_tag))
          ).pipe(Effect.forkScoped({ startImmediately: true }))
          const reading = yield* Effect.forkScoped(Stream.runDrain(subscription.stream), { startImmediately: true })
          yield* first.stop
          for (const ended of [Fiber.join(following), Fiber.join(reading), client.awaitFailure]) {
            const reason = yield* reasonOf<unknown, never>(ended)
            assert(reason._tag === "DriverNotFound")
            assert.include(reason.message, "it has shut down")
          }
          assert.strictEqual((yield* reasonOf(publication.offer(bytesOf("x"))))._tag, "DriverNotFound")
          assert.strictEqual((yield* reasonOf(Subscription.make(ipc)))._tag, "DriverNotFound")
          assert.deepStrictEqual(tags, ["Connected", "Waiting"])
        }),
      { client: { reconnectTimeout: "50 millis" } }
    )
  )

  it.live("says that it is closed, and lets go of everyone who waits with it", () =>
    Effect.gen(function* () {
      const { directory, start } = yield* restartable
      const first = yield* start()
      const tags: Array<Client.ClientStatus["_tag"]> = []
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(reconnecting(directory), scope)
      yield* Effect.gen(function* () {
        const { status } = yield* Client.Client
        const following = yield* Stream.runForEach(status, ({ _tag }) => Effect.sync(() => tags.push(_tag))).pipe(
          Effect.forkScoped({ startImmediately: true })
        )
        const publication = yield* Publication.make(ipc)
        const subscription = yield* Subscription.make(ipc)
        yield* first.stop
        yield* until(Effect.sync(() => tags.length === 2))
        const waiting = [publication.publish(bytesOf("x")), Stream.runDrain(subscription.stream), Publication.make(ipc)]
        const fibers = yield* Effect.forEach(waiting, (each) => Effect.forkScoped(each, { startImmediately: true }))
        yield* Scope.close(scope, Exit.void)
        for (const fiber of fibers) {
          assert.strictEqual((yield* reasonOf<unknown, never>(Fiber.join(fiber)))._tag, "Closed")
        }
        yield* Fiber.join(following)
        assert.deepStrictEqual(tags, ["Connected", "Waiting", "Closed"])
      }).pipe(Effect.provide(context), Effect.scoped)
    }).pipe(Effect.scoped)
  )
})

describe("a client that does not reconnect", () => {
  it.live("says so by its status", () =>
    connected(
      ({ first }) =>
        Effect.gen(function* () {
          const { status } = yield* Client.Client
          const following = yield* Effect.forkScoped(Stream.runDrain(status), { startImmediately: true })
          yield* first.stop
          assert.strictEqual((yield* reasonOf(Fiber.join(following)))._tag, "DriverEnded")
        }),
      { client: { reconnect: false } }
    )
  )
})
