/**
 * Progress of one piece of work: a bar that redraws itself on a terminal, a plain line at each quarter elsewhere, nothing
 * where the output must be JSON alone.
 */
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Terminal from "effect/Terminal"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Plot from "./Plot.ts"
import { grouped, perSecond } from "./Quantity.ts"
import * as Style from "./Style.ts"

export interface Progress {
  /** How much is done by now. May be called as often as wanted: it draws at most ten times a second. */
  readonly update: (done: number) => Effect.Effect<void>
}

const REDRAW_INTERVAL_MS = 100
const BAR_WIDTH_MAX = 40
const CLEAR_LINE = "\r\u001b[2K"

/** Follows `total` units of work called `noun`. The line that was drawn is gone when the scope closes. */
export const make = Effect.fnUntraced(function* (options: {
  readonly label: string
  readonly noun: string
  readonly total: number
  readonly silent: boolean
}): Effect.fn.Return<Progress, never, Scope.Scope | Terminal.Terminal> {
  if (options.silent) {
    return { update: () => Effect.void }
  }
  const { canAnimate } = yield* TerminalCapabilities.TerminalCapabilities
  return canAnimate ? yield* makeBar(options) : makeLines(options)
})

type Work = { readonly label: string; readonly noun: string; readonly total: number }

const makeBar = Effect.fnUntraced(function* (work: Work) {
  const terminal = yield* Terminal.Terminal
  const style = yield* Style.current
  const startMs = yield* Clock.currentTimeMillis
  let drawnMs = 0
  const display = (text: string) => Effect.ignore(terminal.display(text))
  yield* Effect.addFinalizer(() => display(CLEAR_LINE))

  const update = Effect.fnUntraced(function* (done: number) {
    const nowMs = yield* Clock.currentTimeMillis
    if (nowMs - drawnMs < REDRAW_INTERVAL_MS && done < work.total) {
      return
    }
    drawnMs = nowMs
    const columns = yield* terminal.columns
    const rate = nowMs > startMs ? `  ${grouped(perSecond(done, nowMs - startMs))}/s` : ""
    const figures = ` ${grouped(done)} / ${grouped(work.total)} ${work.noun}${rate}`
    const width = Math.max(0, Math.min(BAR_WIDTH_MAX, columns - work.label.length - figures.length - 3))
    const [full, rest] = Plot.gauge(done, work.total, width)
    yield* display(`${CLEAR_LINE}${work.label} ${style.accent(full)}${style.faint(rest)}${figures}`)
  })
  yield* update(0)
  return { update }
})

const makeLines = (work: Work): Progress => {
  let quartersPrinted = 0
  const update = (done: number) => {
    const quarters = work.total === 0 ? 4 : Math.floor((done / work.total) * 4)
    if (quarters <= quartersPrinted) {
      return Effect.void
    }
    quartersPrinted = quarters
    return Console.log(`${work.label}: ${grouped(done)} of ${grouped(work.total)} ${work.noun}`)
  }
  return { update }
}
