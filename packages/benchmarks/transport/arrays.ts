/** What an element of an Effect stream costs by the length of the arrays that it comes in: nothing else happens to it. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Case, group } from "#harness/Group"

const inArraysOf = (length: number): Case => ({
  smokeCount: 256,
  open: () => {
    const elements = [0, ...Array.from({ length: length - 1 }, (_, index) => index)] as const
    return {
      run: async (count) => {
        let given = 0
        const pull = Effect.suspend(() => {
          if (given >= count) {
            return Cause.done()
          }
          given += length
          return Effect.succeed(elements)
        })
        await Effect.runPromise(Stream.runDrain(Stream.fromPull(Effect.succeed(pull))))
      }
    }
  }
})

export default group("transport/arrays", {
  baseline: "of-256",
  cases: { "of-256": inArraysOf(256), "of-16": inArraysOf(16), "of-1": inArraysOf(1) }
})
