/** What comes in, told once a second: messages and bytes of that second, and of all. */
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { bytes, grouped, perSecond, plural } from "./Quantity.ts"

/** What came so far; whoever receives counts in it. */
export interface Tally {
  messages: number
  bytes: number
}

const INTERVAL = "1 second"

/** Tells once a second until the scope closes, and then once more of the whole time since the first message. */
export const follow = Effect.fnUntraced(function* (
  tally: Readonly<Tally>,
  asJson: boolean
): Effect.fn.Return<void, never, Scope.Scope> {
  let last = { ...tally }
  let lastMs = yield* Clock.currentTimeMillis
  let firstMs: number | undefined
  const tell = (since: Tally, elapsedMs: number, name: string) => {
    const messagesPerSecond = perSecond(tally.messages - since.messages, elapsedMs)
    const bytesPerSecond = perSecond(tally.bytes - since.bytes, elapsedMs)
    return Console.log(
      asJson
        ? JSON.stringify({ messagesPerSecond, bytesPerSecond, ...tally })
        : `${name}  ${grouped(messagesPerSecond)} messages/s  ${bytes(bytesPerSecond)}/s  ` +
            `${plural(tally.messages, "message")}, ${bytes(tally.bytes)} in all`
    )
  }
  const tick = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    if (last.messages === 0 && tally.messages > 0) {
      firstMs = lastMs
    }
    yield* tell(last, nowMs - lastMs, "now  ")
    last = { ...tally }
    lastMs = nowMs
  })
  yield* Effect.addFinalizer(() =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      tell({ messages: 0, bytes: 0 }, nowMs - (firstMs ?? lastMs), "whole")
    )
  )
  yield* tick.pipe(Effect.delay(INTERVAL), Effect.forever, Effect.forkScoped)
})
