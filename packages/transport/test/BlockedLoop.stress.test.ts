/**
 * A program that blocks its own event loop for longer than its driver waits for clients: only its own client pays for it.
 * The long form blocks for 12 seconds, with the driver's own timeouts.
 */
import { assert, describe, it } from "@effect/vitest"
import { startScript } from "@millrace/testkit/runScript"
import * as Effect from "effect/Effect"
import * as Client from "../src/Client.ts"
import { CLIENT_TIMEOUTS } from "../src/driver/SystemCounters.ts"
import * as Inspector from "../src/Inspector.ts"
import * as MediaDriver from "../src/MediaDriver.ts"
import type { MediaDriverOptions } from "../src/MediaDriverConfig.ts"
import * as Publication from "../src/Publication.ts"
import { reasonOf } from "./fixtures/embedded.ts"

const publisherProcess = new URL("fixtures/publisherProcess.ts", import.meta.url)
const subscriberProcess = new URL("fixtures/subscriberProcess.ts", import.meta.url)

const IS_LONG = process.env["MILLRACE_COUNT"] !== undefined
const BLOCK = IS_LONG ? { livenessMs: 10_000, blockMs: 12_000 } : { livenessMs: 2_500, blockMs: 3_500 }
const MESSAGES = 20_000

const threadings: ReadonlyArray<NonNullable<MediaDriverOptions["threading"]>> =
  IS_LONG && process.platform === "linux" ? ["shared", "sharedNetwork", "dedicated"] : ["shared"]

const timeouts = Effect.flatMap(MediaDriver.MediaDriver, ({ directory }) =>
  Effect.scoped(
    Effect.flatMap(Inspector.open({ directory }), ({ counters }) =>
      Effect.map(counters, (all) => all.find(({ id }) => id === CLIENT_TIMEOUTS)!.value)
    )
  )
)

describe.each(threadings)("user code that blocks its own loop, with threading %s", (threading) => {
  it.live("neither delays a stream between two other processes nor times out their clients", () =>
    Effect.gen(function* () {
      const { directory } = yield* MediaDriver.MediaDriver
      const own = yield* Client.Client
      yield* Publication.make({ channel: "aeron:ipc", streamId: 7 })
      const stream = [directory, "aeron:ipc?term-length=64k", "1001", String(MESSAGES)]
      const reader = startScript(subscriberProcess, stream)
      yield* Effect.promise(() => reader.line("subscribed"))
      const publisher = startScript(publisherProcess, stream)
      const others = startScript(publisherProcess, [directory, "aeron:ipc?term-length=64k", "1002", "0"])
      yield* Effect.promise(() => publisher.line("flowing"))
      const endMs = Date.now() + BLOCK.blockMs
      while (Date.now() < endMs) {
        // Synchronous user code.
      }
      const [received, published] = yield* Effect.promise(() => Promise.all([reader.ended, publisher.ended]))
      const receivedMs = Number(/received 20000 at (\d+)/.exec(received.stdout)?.[1])
      assert.isBelow(receivedMs, endMs)
      assert.include(published.stdout, "published")
      // It is told so by the driver, or sees by itself for how long it did nothing.
      assert.include(["ClientTimeout", "ServiceTimeout"], (yield* reasonOf(own.awaitFailure))._tag)
      assert.strictEqual(yield* timeouts, 1n)
      assert.isNull(others.process.exitCode)
    }).pipe(
      Effect.scoped,
      Effect.provide(Client.layer),
      Effect.provide(
        MediaDriver.layerEmbedded({
          threading,
          clientLivenessTimeout: BLOCK.livenessMs,
          publicationUnblockTimeout: BLOCK.livenessMs * 1.5,
          publicationLingerTimeout: 500,
          timerInterval: 100
        })
      )
    )
  )
})
