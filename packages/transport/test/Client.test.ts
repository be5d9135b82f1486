import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Client from "../src/Client.ts"
import * as MediaDriver from "../src/MediaDriver.ts"
import * as Publication from "../src/Publication.ts"
import * as Subscription from "../src/Subscription.ts"
import { bytesOf, embedded, freePort, until } from "./fixtures/embedded.ts"

describe("the errors of a client", () => {
  it.live.each(["ipc", "udp"])("say who refused a publication over %s, and why", (media) =>
    Effect.gen(function* () {
      const port = yield* freePort()
      const channel = media === "ipc" ? "aeron:ipc" : `aeron:udp?endpoint=127.0.0.1:${port}`
      const { errors } = yield* Client.Client
      const first = yield* Effect.forkScoped(Stream.runCollect(Stream.take(errors, 1)), { startImmediately: true })
      const subscription = yield* Subscription.make({ channel, streamId: 1001 })
      const publication = yield* Publication.make({ channel, streamId: 1001, linger: 0 })
      yield* until(subscription.isConnected)
      yield* publication.publish(bytesOf("x"))
      const [image] = yield* subscription.currentImages
      yield* image!.reject("not wanted")
      const [error] = yield* Fiber.join(first)
      assert(error!.reason._tag === "PublicationRejected")
      assert.strictEqual(error!.reason.channel, channel)
      assert.strictEqual(error!.reason.sessionId, publication.sessionId)
      assert.include(error!.message, "not wanted")
      assert.include(error!.message, media === "ipc" ? "aeron:ipc refused" : "127.0.0.1:")
    }).pipe(Effect.scoped, Effect.provide(embedded({ publicationLingerTimeout: 0, termBufferLength: 64 * 1024 })))
  )

  it.live("end with its scope", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(Client.layer, scope)
      const errors = yield* Effect.provideContext(
        Effect.map(Client.Client, (client) => client.errors),
        context
      )
      const waiting = yield* Effect.forkScoped(Stream.runCollect(errors), { startImmediately: true })
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(yield* Fiber.join(waiting), [])
    }).pipe(Effect.scoped, Effect.provide(MediaDriver.layerEmbedded({ threading: "invoker" })))
  )

  it.live("fail with the reason when the driver ends", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const driver = yield* Layer.buildWithScope(MediaDriver.layerEmbedded({ threading: "invoker" }), scope)
      const client = yield* Effect.provideContext(Layer.build(Client.layer), driver)
      const errors = yield* Effect.provideContext(
        Effect.map(Client.Client, (service) => service.errors),
        client
      )
      const failing = yield* Effect.forkScoped(Effect.flip(Stream.runDrain(errors)), { startImmediately: true })
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* Fiber.join(failing)).reason._tag, "DriverEnded")
      assert.strictEqual((yield* Effect.flip(Stream.runDrain(errors))).reason._tag, "DriverEnded")
    }).pipe(Effect.scoped)
  )
})

describe("a client", () => {
  it.live("asks for session ids that nobody has, and counts no response that it knows", () =>
    Effect.gen(function* () {
      const client = yield* Client.Client
      const ids = yield* Effect.all([client.nextSessionId(1001), client.nextSessionId(1001)])
      assert.strictEqual(new Set(ids).size, 2)
      const [sessionId] = ids
      const publication = yield* Publication.make({ channel: `aeron:ipc?session-id=${sessionId}`, streamId: 1001 })
      assert.strictEqual(publication.sessionId, sessionId)
      assert.strictEqual(publication.originalRegistrationId, publication.registrationId)
      assert.strictEqual(publication.termLength, 64 * 1024)
      assert.strictEqual(publication.positionMax, 64 * 1024 * 2 ** 31)
      assert.strictEqual(yield* client.unknownResponseCount, 0)
    }).pipe(Effect.scoped, Effect.provide(embedded()))
  )
})
