import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Client from "../src/Client.ts"
import * as ClientConfig from "../src/ClientConfig.ts"
import * as Counters from "../src/Counters.ts"
import * as MediaDriver from "../src/MediaDriver.ts"
import { reasonOf, until } from "./fixtures/embedded.ts"

const read = (env: Record<string, string>) =>
  Effect.provideService(ClientConfig.config, ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env))

const connect = (options: Client.ClientOptions) =>
  reasonOf(Effect.asVoid(Client.Client).pipe(Effect.provide(Client.layerWith({ directory: "/nowhere", ...options }))))

describe("ClientConfig", () => {
  it.effect("reads every option by its name, and by Aeron's variable", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read({}), {})
      const named = yield* read({
        directory: "/dev/shm/aeron-test",
        driverTimeout: "2s",
        keepaliveInterval: "100ms",
        resourceLinger: "1s",
        clientName: "trades",
        reconnect: "true",
        reconnectTimeout: "1s"
      })
      assert.deepInclude(named, { directory: "/dev/shm/aeron-test", clientName: "trades", reconnect: true })
      assert.strictEqual(Duration.toMillis(named.driverTimeout!), 2000)
      assert.strictEqual(Duration.toMillis(named.reconnectTimeout!), 1000)
      const aerons = yield* read({
        AERON_DIR: "/dev/shm/other",
        AERON_DRIVER_TIMEOUT: "5000",
        AERON_CLIENT_NAME: "orders",
        MILLRACE_CLIENT_RECONNECT: "true"
      })
      assert.deepInclude(aerons, { directory: "/dev/shm/other", clientName: "orders", reconnect: true })
      assert.strictEqual(Duration.toMillis(aerons.driverTimeout!), 5000)
    })
  )

  it.live("connects by it, with the name in the heartbeat's label", () =>
    Effect.gen(function* () {
      const { directory } = yield* MediaDriver.MediaDriver
      const provider = ConfigProvider.fromUnknown({
        AERON_DIR: directory,
        clientName: "trades",
        keepaliveInterval: "5ms"
      })
      yield* Effect.gen(function* () {
        const { list } = yield* Counters.Counters
        const counters = yield* Counters.Counters
        yield* counters.add({ typeId: 1001, label: "so that the driver knows this client" })
        const label = Effect.map(list, (records) => records.find(({ typeId }) => typeId === 11)?.label ?? "")
        yield* until(Effect.map(label, (text) => text.includes("name=trades")))
        assert.match(yield* label, /^client-heartbeat: id=\d+ name=trades version=\S+ commit=\S+$/)
      }).pipe(
        Effect.scoped,
        Effect.provide(Counters.layer.pipe(Layer.provide(Client.layerConfig))),
        Effect.provideService(ConfigProvider.ConfigProvider, provider)
      )
    }).pipe(Effect.scoped, Effect.provide(MediaDriver.layerEmbedded({ threading: "invoker" })))
  )

  it.live("refuses a value that is none, naming the option, the value and what is allowed", () =>
    Effect.gen(function* () {
      for (const [option, given, shown] of [
        ["driverTimeout", { driverTimeout: 0 }, "0"],
        ["keepaliveInterval", { keepaliveInterval: "soon" as never }, "soon"],
        ["resourceLinger", { resourceLinger: "Infinity" }, "Infinity"],
        ["clientName", { clientName: "x".repeat(101) }, "x".repeat(101)],
        ["reconnect", { reconnect: "maybe" as never }, "maybe"]
      ] as const) {
        const reason = yield* connect(given)
        assert(reason._tag === "InvalidOption")
        assert.strictEqual(reason.option, option)
        assert.strictEqual(reason.value, shown)
        assert.isNotEmpty(reason.allowed)
      }
      // For ever is what nothing given means.
      const reason = yield* connect({ reconnectTimeout: "Infinity", driverTimeout: "1 millis" })
      assert.strictEqual(reason._tag, "DriverNotFound")
    })
  )
})
