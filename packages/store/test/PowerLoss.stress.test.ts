/**
 * Copies of a device that has lost its power are opened by ours. `pnpm stress` makes 200; `pnpm interop rocketmq/power
 * --long` has more of them opened by the real RocketMQ as well.
 */
import { describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { assert } from "vitest"
import * as LoopDevice from "./fixtures/LoopDevice.ts"
import * as PowerLoss from "./fixtures/PowerLoss.ts"

const SHORT = 2
const COPIES_MAX = 200
const COPIES = Math.min(COPIES_MAX, Number(process.env["MILLRACE_COUNT"] ?? SHORT))
const SEED = Number(process.env["MILLRACE_SEED"] ?? 1)

const check = ({ owed }: PowerLoss.LostPower): Effect.Effect<void> => owed.check(0)

describe.skipIf(LoopDevice.noLoopReason !== undefined)("a store on a device that loses its power", () => {
  it.live(
    "has everything that was acknowledged as on the device, once, and its parts agree",
    () =>
      Effect.gen(function* () {
        const acknowledged = yield* PowerLoss.losePower({ count: COPIES, seed: SEED, check })
        process.stdout.write(`${COPIES} copies of a device from seed ${SEED}, ${acknowledged} messages acknowledged\n`)
        assert.isAbove(acknowledged, COPIES)
      }),
    COPIES === SHORT ? 60_000 : 0
  )

  it.live(
    "is found out when its syncs do nothing",
    () =>
      Effect.gen(function* () {
        const losses = { count: PowerLoss.COPIES_A_LIFE, seed: SEED, more: { isForgetful: true }, check }
        const found = yield* PowerLoss.losePower(losses).pipe(Effect.sandbox, Effect.flip)
        assert.match(Cause.pretty(found), /is missing/)
      }),
    60_000
  )
})
