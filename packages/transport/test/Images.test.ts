/** How images come and go, and what a publication and a subscription know of their channel. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as ExclusivePublication from "../src/ExclusivePublication.ts"
import type { ImageEvent } from "../src/Image.ts"
import * as Publication from "../src/Publication.ts"
import * as Subscription from "../src/Subscription.ts"
import { bytesOf, embedded, freePort, reasonOf, until } from "./fixtures/embedded.ts"

const ipc = { channel: "aeron:ipc", streamId: 1001 } as const

/** What is told of images, as text. */
const told = (event: ImageEvent): string =>
  event._tag === "Available" ? `+${event.image.joinPosition}` : `-${event.end} ${event.position}`

describe("image events", () => {
  it.live("tell of images that are there, that come, and how each ended", () =>
    Effect.gen(function* () {
      const subscription = yield* Subscription.make(ipc)
      const scopes = [yield* Scope.make(), yield* Scope.make()] as const
      const first = yield* ExclusivePublication.make({ ...ipc, linger: 0 }).pipe(Scope.provide(scopes[0]))
      yield* until(subscription.isConnected)
      const events: Array<string> = []
      yield* Stream.runForEach(subscription.imageEvents, (event) => Effect.sync(() => events.push(told(event)))).pipe(
        Effect.forkScoped({ startImmediately: true })
      )
      const second = yield* ExclusivePublication.make({ ...ipc, linger: 0 }).pipe(Scope.provide(scopes[1]))
      yield* until(Effect.map(subscription.currentImages, ({ length }) => length === 2))
      yield* first.publish(bytesOf("read"))
      yield* subscription.poll(() => {}, 10)
      yield* Scope.close(scopes[0], Exit.void)
      yield* until(Effect.sync(() => events.length === 3))
      yield* until(second.isConnected)
      yield* second.publish(bytesOf("never read"))
      yield* second.revoke
      yield* until(Effect.sync(() => events.length === 4))
      assert.deepStrictEqual(events, ["+0", "+0", "-EndOfStream 64", "-Revoked 0"])
      yield* Scope.close(scopes[1], Exit.void)
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("fail when the subscription is closed, after the last of them", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const subscription = yield* Subscription.make(ipc).pipe(Scope.provide(scope))
      yield* Publication.make({ ...ipc, linger: 0 })
      yield* until(subscription.isConnected)
      const events: Array<string> = []
      const following = yield* Stream.runForEach(subscription.imageEvents, (event) =>
        Effect.sync(() => events.push(told(event)))
      ).pipe(Effect.forkScoped({ startImmediately: true }))
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* reasonOf(Fiber.join(following)))._tag, "Closed")
      assert.deepStrictEqual(events, ["+0", "-Closed 0"])
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )
})

describe("an image", () => {
  it.live("gives its messages by their schema, and ends with its publication", () =>
    Effect.gen(function* () {
      const subscription = yield* Subscription.make(ipc)
      const publishing = Publication.make(ipc).pipe(
        Effect.flatMap((publication) => Stream.run(Stream.make(1, 2), publication.typed(Schema.Finite).sink)),
        Effect.scoped
      )
      const reading = subscription.images.pipe(
        Stream.take(1),
        Stream.flatMap((image) => image.typed(Schema.Finite)),
        Stream.runCollect
      )
      const [numbers] = yield* Effect.all([reading, publishing], { concurrency: "unbounded" })
      assert.deepStrictEqual(numbers, [1, 2])
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )
})

describe("a publication that is revoked", () => {
  it.live.each(["concurrent", "exclusive"])("ends at once for its subscribers: %s", (kind) =>
    Effect.gen(function* () {
      const subscription = yield* Subscription.make(ipc)
      const publication = yield* (kind === "exclusive" ? ExclusivePublication : Publication).make(ipc)
      yield* until(publication.isConnected)
      yield* until(subscription.isConnected)
      const [image] = yield* subscription.currentImages
      yield* publication.publish(bytesOf("never read"))
      yield* publication.revoke
      assert.strictEqual((yield* publication.offer(bytesOf("late")))._tag, "Closed")
      yield* until(image!.isClosed)
      assert.isTrue(yield* image!.isPublicationRevoked)
      assert.strictEqual((yield* reasonOf(Stream.runDrain(image!.stream)))._tag, "ImageRevoked")
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )
})

describe("the errors of a publication", () => {
  it.live("are those of its own stream", () =>
    Effect.gen(function* () {
      const publications = yield* Effect.all([
        Publication.make({ ...ipc, linger: 0 }),
        Publication.make({ channel: "aeron:ipc", streamId: 1002, linger: 0 })
      ])
      const errors: Array<string> = []
      for (const [index, publication] of publications.entries()) {
        yield* Stream.runForEach(publication.errors, ({ detail }) =>
          Effect.sync(() => errors.push(`${index} ${detail}`))
        ).pipe(Effect.forkScoped({ startImmediately: true }))
      }
      for (const streamId of [1002, 1001]) {
        const subscription = yield* Subscription.make({ channel: "aeron:ipc", streamId })
        yield* until(subscription.isConnected)
        const [image] = yield* subscription.currentImages
        yield* image!.reject(`not ${streamId}`)
      }
      yield* until(Effect.sync(() => errors.length === 2))
      assert.deepStrictEqual(errors, ["1 not 1002", "0 not 1001"])
    }).pipe(Effect.scoped, Effect.provide(embedded({ publicationLingerTimeout: 0 })))
  )
})

describe("a channel", () => {
  it.live("of IPC is active, and has neither addresses nor a port to resolve", () =>
    Effect.gen(function* () {
      const subscription = yield* Subscription.make(ipc)
      const publication = yield* Publication.make({ ...ipc, linger: 0 })
      for (const user of [subscription, publication]) {
        assert.strictEqual(yield* user.channelStatus, "Active")
        assert.deepStrictEqual(yield* user.localSocketAddresses, [])
      }
      assert.strictEqual(yield* subscription.resolvedEndpoint, undefined)
      assert.strictEqual(yield* subscription.tryResolveChannelEndpointPort, "aeron:ipc")
      assert.isAbove(
        yield* Effect.andThen(
          until(publication.isConnected),
          until(Effect.map(publication.availableWindow, (window) => window > 0)).pipe(
            Effect.andThen(publication.availableWindow)
          )
        ),
        0
      )
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )

  it.live("with port 0 says which port the system chose, for publishers to send to", () =>
    Effect.gen(function* () {
      const subscription = yield* Subscription.make({
        channel: "aeron:udp?endpoint=127.0.0.1:0|alias=any",
        streamId: 1
      })
      yield* until(Effect.map(subscription.resolvedEndpoint, (endpoint) => endpoint !== undefined))
      const endpoint = (yield* subscription.resolvedEndpoint)!
      assert.match(endpoint, /^127\.0\.0\.1:[1-9]\d*$/)
      assert.deepStrictEqual(yield* subscription.localSocketAddresses, [endpoint])
      const channel = (yield* subscription.tryResolveChannelEndpointPort)!
      assert.strictEqual(channel, `aeron:udp?endpoint=${endpoint}|alias=any`)
      const publication = yield* Publication.make({ channel, streamId: 1, linger: 0 })
      yield* until(publication.isConnected)
      assert.strictEqual(yield* publication.channelStatus, "Active")
      assert.match((yield* publication.localSocketAddresses)[0]!, /^127\.0\.0\.1:\d+$/)
    }).pipe(Effect.scoped, Effect.provide(embedded({ publicationLingerTimeout: 0, termBufferLength: 64 * 1024 })))
  )

  it.live("fails to be read when its user is closed", () =>
    Effect.gen(function* () {
      const port = yield* freePort()
      const channel = `aeron:udp?endpoint=127.0.0.1:${port}`
      const subscription = yield* Effect.scoped(Subscription.make({ channel, streamId: 1 }))
      assert.strictEqual((yield* reasonOf(subscription.channelStatus))._tag, "Closed")
      assert.strictEqual((yield* reasonOf(subscription.tryResolveChannelEndpointPort))._tag, "Closed")
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )
})
