import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { temporaryDirectory } from "@millrace/testkit/temporaryDirectory"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Client from "../src/Client.ts"
import * as MediaDriver from "../src/MediaDriver.ts"
import * as Publication from "../src/Publication.ts"
import * as Subscription from "../src/Subscription.ts"
import { bytesOf, reasonOf, until } from "./fixtures/embedded.ts"

describe("an invoked driver", () => {
  it.live("works when its caller says so, and ends when a client does", () =>
    Effect.gen(function* () {
      const directory = join(temporaryDirectory(), "driver")
      const driver = yield* MediaDriver.invoker({ directory, allowTermination: true, ipcTermBufferLength: 64 * 1024 })
      let isInvoked = true
      const cycles = Effect.sync(() => isInvoked && driver.invokeUnsafe()).pipe(Effect.andThen(Effect.sleep(1)))
      yield* Effect.forkScoped(Effect.forever(cycles))
      yield* Effect.gen(function* () {
        const subscription = yield* Subscription.make({ channel: "aeron:ipc", streamId: 1001 })
        const publication = yield* Publication.make({ channel: "aeron:ipc", streamId: 1001 })
        yield* Stream.run(Stream.succeed(bytesOf("one")), publication.sink)
        assert.lengthOf(yield* Stream.runCollect(Stream.take(subscription.stream, 1)), 1)
        isInvoked = false
        const refused = yield* Effect.timeoutOption(Publication.make({ channel: "aeron:ipc", streamId: 1002 }), 50)
        assert.strictEqual(refused._tag, "None")
        isInvoked = true
      }).pipe(Effect.scoped, Effect.provide(Client.layerWith({ directory })))
      assert.isTrue(yield* MediaDriver.requestTermination({ directory }))
      yield* until(Effect.sync(driver.isTerminatedUnsafe))
      assert.strictEqual(driver.invokeUnsafe(), 0)
    }).pipe(Effect.scoped)
  )

  it.live("is refused where a driver is active, as any other", () =>
    Effect.gen(function* () {
      const directory = join(temporaryDirectory(), "driver")
      const driver = yield* MediaDriver.invoker({ directory })
      driver.invokeUnsafe()
      const reason = yield* reasonOf(Effect.asVoid(Effect.scoped(MediaDriver.invoker({ directory }))))
      assert.strictEqual(reason._tag, "DriverActive")
    }).pipe(Effect.scoped)
  )
})
