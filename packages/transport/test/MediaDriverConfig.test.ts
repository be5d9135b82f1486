/** The options of a driver, given in code, by `Config`, and as they are concluded. */
import { assert, describe, it } from "@effect/vitest"
import * as IdleStrategy from "@millrace/core/IdleStrategy"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as MediaDriverConfig from "../src/MediaDriverConfig.ts"

const fromEnvironment = (env: Record<string, string>) =>
  Effect.gen(function* () {
    const options = yield* MediaDriverConfig.config
    return { options, concluded: yield* MediaDriverConfig.conclude(options) }
  }).pipe(Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })))

const refusal = (options: MediaDriverConfig.MediaDriverOptions) =>
  MediaDriverConfig.conclude(options).pipe(
    Effect.flip,
    Effect.map(({ message }) => message)
  )

describe("MediaDriverConfig", () => {
  it.effect("reads options by their names, else by Aeron's variables, in Aeron's forms and Effect's", () =>
    Effect.gen(function* () {
      const { concluded, options } = yield* fromEnvironment({
        termBufferLength: "128k",
        AERON_TERM_BUFFER_LENGTH: "64k",
        AERON_MTU_LENGTH: "4k",
        AERON_CLIENT_LIVENESS_TIMEOUT: "5000000000",
        imageLivenessTimeout: "3 seconds",
        AERON_RECEIVER_GROUP_TAG: "-7",
        AERON_DIR: "/dev/shm/d",
        threading: "dedicated"
      })
      assert.strictEqual(options.directory, "/dev/shm/d")
      assert.strictEqual(options.threading, "dedicated")
      assert.strictEqual(concluded.termBufferLength, 128 * 1024)
      assert.strictEqual(concluded.mtuLength, 4096)
      assert.strictEqual(concluded.clientLivenessTimeout, 5e9)
      assert.strictEqual(concluded.imageLivenessTimeout, 3e9)
      assert.strictEqual(concluded.receiverGroupTag, -7n)
      assert.isTrue(Duration.isDuration(options.clientLivenessTimeout))
    })
  )

  it.effect("reads what each thread does without work, by Aeron's names", () =>
    Effect.gen(function* () {
      const { options } = yield* fromEnvironment({
        idle: "yield",
        conductorIdle: "backoff",
        conductorIdleArguments: "1-2-3us-4us",
        AERON_RECEIVER_IDLE_STRATEGY: "sleep-ns",
        AERON_RECEIVER_IDLE_STRATEGY_INIT_ARGS: "7ms"
      })
      assert.deepStrictEqual(options, {
        idle: IdleStrategy.yielding,
        conductorIdle: IdleStrategy.backoff({ maxSpins: 1, maxYields: 2, minParkNs: 3000, maxParkNs: 4000 }),
        receiverIdle: IdleStrategy.sleeping(7_000_000)
      })
      const error = yield* Effect.flip(fromEnvironment({ AERON_SENDER_IDLE_STRATEGY: "dream" }))
      assert.include(error.message, "senderIdle")
      assert.include(error.message, "dream")
    })
  )

  it.effect("refuses a text that is no value, naming the option, the value and what is allowed", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(fromEnvironment({ AERON_MTU_LENGTH: "long" }))
      assert.include(error.message, "mtuLength")
      assert.include(error.message, "long")
      assert.include(error.message, "bytes from 64 to 65504")
    })
  )

  it.effect("has Aeron's defaults, but where it says so", () =>
    Effect.gen(function* () {
      const concluded = yield* MediaDriverConfig.conclude({})
      assert.strictEqual(concluded.untetheredLingerTimeout, undefined)
      assert.strictEqual(concluded.lowFileStoreWarningThreshold, 160 * 1024 * 1024)
      assert.strictEqual(concluded.driverTimeout, 10e9)
      assert.strictEqual(concluded.nakUnicastDelay, 1000)
      assert.isFalse(concluded.termBufferSparseFile)
    })
  )

  it.effect.each([
    [{ termBufferLength: 100_000 }, "termBufferLength", "a power of two"],
    [{ mtuLength: 1400 }, "mtuLength", "a multiple of 32"],
    [{ maxResend: 257 }, "maxResend", "a whole number from 1 to 256"],
    [
      { clientLivenessTimeout: "20 seconds", publicationUnblockTimeout: "20 seconds" },
      "publicationUnblockTimeout",
      "more than"
    ],
    [{ untetheredWindowLimitTimeout: "1 second" }, "untetheredWindowLimitTimeout", "more than timerInterval"],
    [{ untetheredLingerTimeout: 0 }, "untetheredLingerTimeout", "more than timerInterval"],
    [{ untetheredRestingTimeout: "200 millis" }, "untetheredRestingTimeout", "more than timerInterval, 1000000000 ns"],
    [{ senderIdle: IdleStrategy.sleeping(0) }, "senderIdle", "a strategy of IdleStrategy"],
    [{ receiveDataLossRate: 1.5 }, "receiveDataLossRate", "a number from 0 to 1"],
    [{ flowControlGroupTag: 2n ** 63n }, "flowControlGroupTag", "a whole number of 64 bits"],
    [{ senderWildcardPortRange: "9 3" }, "senderWildcardPortRange", "two ports, the lower one first"],
    [{ incomingInterceptors: "loss,bad" }, "incomingInterceptors", "some of loss, fixed-loss, multi-gap-loss"],
    [{ incomingInterceptors: "fixed-loss" }, "fixedLossArguments", "term-id=I|term-offset=O|length=L"],
    [{ outgoingInterceptors: "loss", lossArguments: "rate=2" }, "lossArguments", "rate=0.2"]
  ] satisfies ReadonlyArray<readonly [MediaDriverConfig.MediaDriverOptions, string, string]>)(
    "refuses what is beyond its limits or does not fit, %#",
    ([options, option, allowed]) =>
      Effect.gen(function* () {
        const message = yield* refusal(options)
        assert.include(message, option)
        assert.include(message, allowed)
      })
  )

  it.effect("lets times that depend on a short liveness timeout follow it, unless they are given", () =>
    Effect.gen(function* () {
      const short = yield* MediaDriverConfig.conclude({ clientLivenessTimeout: "1 second" })
      assert.deepStrictEqual([short.publicationUnblockTimeout, short.timerInterval], [1.5e9, 0.25e9])
      const given = yield* MediaDriverConfig.conclude({ clientLivenessTimeout: "1 second", timerInterval: "20 millis" })
      assert.strictEqual(given.timerInterval, 20e6)
    })
  )
})
