/** What a client tells by spans and by the log. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import { temporaryDirectory } from "@millrace/testkit/temporaryDirectory"
import * as Client from "../src/Client.ts"
import * as Counters from "../src/Counters.ts"
import * as ExclusivePublication from "../src/ExclusivePublication.ts"
import * as MediaDriver from "../src/MediaDriver.ts"
import * as Publication from "../src/Publication.ts"
import * as Subscription from "../src/Subscription.ts"
import { embedded, reasonOf, until } from "./fixtures/embedded.ts"

const ipc = { channel: "aeron:ipc", streamId: 1001, linger: 0 } as const

/** Every span that was begun, with its attributes and how it ended. */
const tracing = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span(options) {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  const named = (name: string) => spans.filter((span) => span.name === `millrace.transport.${name}`)
  return { tracer, named }
}

interface LogLine {
  readonly level: string
  readonly message: string
  readonly annotations: Readonly<Record<string, unknown>>
}

/** Every line that was logged. */
const logging = () => {
  const lines: Array<LogLine> = []
  const logger = Logger.make<unknown, void>(({ fiber, logLevel, message }) => {
    const annotations = { ...fiber.getRef(References.CurrentLogAnnotations) }
    lines.push({ level: logLevel, message: String(Array.isArray(message) ? message[0] : message), annotations })
  })
  return { lines, layer: Layer.merge(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, "All")) }
}

describe("spans", () => {
  it.live("are around what waits for the driver, and around nothing that a message passes", () => {
    const { named, tracer } = tracing()
    return Effect.gen(function* () {
      yield* Effect.gen(function* () {
        const counters = yield* Counters.Counters
        yield* counters.add({ typeId: 1001, label: "orders" })
        const subscription = yield* Subscription.make(ipc)
        const publication = yield* Publication.make(ipc)
        yield* ExclusivePublication.make(ipc)
        yield* publication.publish(new Uint8Array(1))
        yield* Stream.runDrain(Stream.take(subscription.stream, 1))
        yield* reasonOf(Publication.make({ ...ipc, channel: "aeron:ipc?term-length=5" }))
      }).pipe(Effect.scoped)
      assert.strictEqual(named("connect").length, 1)
      assert.strictEqual(named("addSubscription").length, 1)
      assert.strictEqual(named("addExclusivePublication").length, 1)
      assert.strictEqual(named("addCounter").length, 1)
      assert.strictEqual(named("closePublication").length, 2)
      assert.strictEqual(named("closeSubscription").length, 1)
      const [added, refused] = named("addPublication")
      assert.deepStrictEqual(Object.fromEntries(added!.attributes), { channel: "aeron:ipc", streamId: 1001 })
      assert(added!.status._tag === "Ended" && refused!.status._tag === "Ended")
      assert.isTrue(Exit.isSuccess(added!.status.exit))
      assert.isTrue(Exit.isFailure(refused!.status.exit))
      assert.strictEqual(named("publish").length, 0)
    }).pipe(
      Effect.provide(Counters.layer.pipe(Layer.provideMerge(embedded()))),
      Effect.provideService(Tracer.Tracer, tracer)
    )
  })
})

describe("the log", () => {
  it.live("says when a client connects, loses its driver and comes back, with who and why as annotations", () => {
    const { layer, lines } = logging()
    return Effect.gen(function* () {
      const directory = join(temporaryDirectory(), "driver")
      const start = Effect.gen(function* () {
        const scope = yield* Scope.make()
        yield* Layer.buildWithScope(MediaDriver.layer({ directory, threading: "invoker", media: "none" }), scope)
        return Scope.close(scope, Exit.void)
      })
      const stop = yield* start
      yield* Effect.gen(function* () {
        yield* stop
        const saying = (text: string) => lines.find(({ message }) => message.includes(text))
        yield* until(Effect.sync(() => saying("waiting for a media driver") !== undefined))
        yield* start
        yield* until(Effect.sync(() => saying("reconnected") !== undefined))
        const connected = saying("connected to a media driver")!
        assert.strictEqual(connected.level, "Debug")
        assert.deepInclude(connected.annotations, { directory, pid: process.pid })
        const waiting = saying("waiting for a media driver")!
        assert.strictEqual(waiting.level, "Warn")
        assert.deepInclude(waiting.annotations, { directory, reason: "DriverEnded", undrainedBytes: 0 })
        const back = saying("reconnected")!
        assert.strictEqual(back.level, "Info")
        assert.deepInclude(back.annotations, { directory, unrestored: 0 })
      }).pipe(Effect.provide(Client.layerWith({ directory, reconnect: true, keepaliveInterval: "20 millis" })))
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
})
