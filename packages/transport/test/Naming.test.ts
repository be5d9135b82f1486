/** Drivers with names, over real sockets: streams to a driver by its name, and tables whose rows are switched. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Client from "../src/Client.ts"
import * as MediaDriver from "../src/MediaDriver.ts"
import type { MediaDriverOptions } from "../src/MediaDriverConfig.ts"
import * as Publication from "../src/Publication.ts"
import * as Subscription from "../src/Subscription.ts"
import type { TransportError } from "../src/TransportError.ts"
import { bytesOf, embedded, freePort, reasonOf, textOf } from "./fixtures/embedded.ts"

/** A driver that tells others its name, with intervals for people who do not like to wait. */
const named = (name: string, port: number, neighbor: number | undefined): MediaDriverOptions => ({
  termBufferLength: 64 * 1024,
  resolverName: name,
  resolverInterface: `127.0.0.1:${port}`,
  ...(neighbor === undefined ? {} : { resolverBootstrapNeighbor: `127.0.0.1:${neighbor}` }),
  resolverSelfResolutionInterval: 20,
  resolverNeighborResolutionInterval: 20
})

/** Tries again until the name is known. */
const patiently = <A, R>(effect: Effect.Effect<A, TransportError, R>): Effect.Effect<A, never, R> =>
  effect.pipe(Effect.catch(() => Effect.andThen(Effect.sleep(10), patiently(effect))))

describe("a driver with a name", () => {
  it.live("is sent to by its name from a driver that it does not know itself", () =>
    Effect.gen(function* () {
      const ports = yield* Effect.all([freePort(), freePort(), freePort(), freePort()])
      const [alphaPort, bravoPort, charliePort, streamPort] = ports
      yield* Layer.build(embedded(named("bravo", bravoPort, alphaPort)))
      const alpha = yield* Layer.build(embedded(named("alpha", alphaPort, undefined)))
      const charlie = yield* Layer.build(embedded(named("charlie", charliePort, bravoPort)))
      const subscription = yield* Subscription.make({
        channel: `aeron:udp?endpoint=127.0.0.1:${streamPort}`,
        streamId: 1001
      }).pipe(Effect.provide(charlie))
      const publication = yield* patiently(
        Publication.make({ channel: `aeron:udp?endpoint=charlie:${streamPort}`, streamId: 1001 })
      ).pipe(Effect.provide(alpha))
      yield* Effect.forkScoped(Stream.run(Stream.succeed(bytesOf("by name")), publication.sink))
      const [message] = yield* Stream.runCollect(Stream.take(subscription.stream, 1))
      assert.strictEqual(textOf(message!), "by name")
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["localhost:0", "127.0.0.1:"],
    ["127.0.0.2", "127.0.0.2:"],
    ["127.0.0.0:0/8", "127.0.0.1:"],
    ["0.0.0.0:0", "0.0.0.0:"],
    ["[::1]:0", "[::1]:"]
  ] as const)("listens where the interface %s says", ([resolverInterface, bound]) =>
    Effect.gen(function* () {
      const { counters } = yield* Client.Client
      const neighbors = (yield* counters).find(({ label }) => label.startsWith("Resolver neighbors: bound "))
      assert.include(neighbors!.label, ` ${bound}`)
      assert.notInclude(neighbors!.label, ":0 ")
    }).pipe(Effect.provide(embedded({ resolverName: "alpha", resolverInterface })))
  )

  it.live("is not there for a name alone, which is only told in a label", () =>
    Effect.gen(function* () {
      const { counters } = yield* Client.Client
      const labels = (yield* counters).map(({ label }) => label)
      assert.isTrue(labels.some((label) => label.startsWith("Resolution changes: driverName=alpha")))
      assert.isFalse(labels.some((label) => label.startsWith("Resolver neighbors")))
    }).pipe(Effect.provide(embedded({ resolverName: "alpha" })))
  )

  it.live.each([
    [{ nameResolver: "driver", resolverName: "alpha" }, "resolverInterface"],
    [{ resolverInterface: "127.0.0.1:0" }, "resolverName"],
    [{ resolverName: "alpha", resolverInterface: "10.255.0.0:0/16" }, "an address of this machine: "],
    [{ resolverName: "alpha", resolverInterface: "{nope}:0" }, "unknown interface nope"],
    [{ resolverName: "alpha", resolverInterface: "127.0.0.1:99999" }, "resolverInterface"],
    [{ resolverName: "alpha", resolverInterface: "nowhere.invalid:8050" }, "nowhere.invalid is not known"],
    [{ nameResolver: "driver", resolverInterface: "127.0.0.1:0" }, "resolverName"],
    [{ nameResolver: "csv_table", nameResolverInitArgs: "alpha,one" }, "alpha,one"]
  ] as ReadonlyArray<readonly [MediaDriverOptions, string]>)("is refused with %j, which names %s", ([options, text]) =>
    Effect.gen(function* () {
      const start = Effect.scoped(Layer.build(MediaDriver.layerEmbedded({ threading: "invoker", ...options })))
      const reason = yield* reasonOf(Effect.asVoid(start))
      assert.include(reason.message, text)
    })
  )
})

describe("a driver with a table of names", () => {
  it.live("sends where the table says, and refuses a name whose host is unknown", () =>
    Effect.gen(function* () {
      const port = yield* freePort()
      const subscription = yield* Subscription.make({ channel: `aeron:udp?endpoint=127.0.0.1:${port}`, streamId: 1001 })
      const publication = yield* Publication.make({ channel: `aeron:udp?endpoint=server1:${port}`, streamId: 1001 })
      yield* Effect.forkScoped(Stream.run(Stream.succeed(bytesOf("by table")), publication.sink))
      const [message] = yield* Stream.runCollect(Stream.take(subscription.stream, 1))
      assert.strictEqual(textOf(message!), "by table")
      const other = Publication.make({ channel: `aeron:udp?endpoint=server2:${port}`, streamId: 1001 })
      const reason = yield* reasonOf(Effect.asVoid(other))
      assert.include(reason.message, `endpoint=server2:${port}`)
    }).pipe(
      Effect.scoped,
      Effect.provide(
        embedded({
          nameResolver: "csv_table",
          nameResolverInitArgs: "server1,localhost,127.0.0.2|server2,nowhere.invalid,127.0.0.1"
        })
      )
    )
  )
})
