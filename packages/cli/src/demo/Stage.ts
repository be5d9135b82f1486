/** A stage of the demo while it runs: a bar on a terminal; where the output is kept, a line at each quarter. */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as Progress from "../output/Progress.ts"
import { grouped } from "../output/Quantity.ts"

const QUARTERS = 4

export interface StageOptions {
  readonly label: string
  readonly noun: string
  readonly total: number
  /** Nothing is said on standard output. */
  readonly silent: boolean
}

export const follow = Effect.fnUntraced(function* ({ label, noun, silent, total }: StageOptions) {
  const stdio = yield* Stdio.Stdio
  // What the demo is about is shown from its beginning.
  const bar = yield* Progress.make({ label, noun, total, patienceMs: 0 })
  const isSaid = !silent && !(yield* stdio.stdoutIsTerminal)
  let quartersSaid = 0
  const say = (done: number): Effect.Effect<void> => {
    const quarters = total === 0 ? QUARTERS : Math.floor((done / total) * QUARTERS)
    if (!isSaid || quarters <= quartersSaid) {
      return Effect.void
    }
    quartersSaid = quarters
    return Console.log(`${label}: ${grouped(done)} of ${grouped(total)} ${noun}`)
  }
  return { update: (done: number) => Effect.andThen(bar.update(done), say(done)) } satisfies Progress.Progress
})
