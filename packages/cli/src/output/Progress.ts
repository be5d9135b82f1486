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
const LABEL_WIDTH = 12
const BAR_WIDTH_MAX = 40
const CLEAR_LINE = "\r\u001b[2K"

export interface Work {
  /** What is being done: one word or two. */
  readonly label: string
  /** What is counted. */
  readonly noun: string
  readonly total: number
  /** Nothing is shown of work that is done within this time. Default 0. */
  readonly patienceMs?: number
}

/** Follows a piece of work. The line that was drawn is gone when the scope closes. */
export const make = Effect.fnUntraced(function* (
  work: Work,
  options: { readonly silent: boolean }
): Effect.fn.Return<Progress, never, Scope.Scope | Terminal.Terminal> {
  if (options.silent) {
    return { update: () => Effect.void }
  }
  const { canAnimate } = yield* TerminalCapabilities.TerminalCapabilities
  const startMs = yield* Clock.currentTimeMillis
  return canAnimate ? yield* makeBar(work, startMs) : makeLines(work, startMs)
})

const makeBar = Effect.fnUntraced(function* (work: Work, startMs: number) {
  const terminal = yield* Terminal.Terminal
  const style = yield* Style.current
  // The first moments of most work are spent on getting ready, which says nothing about its pace.
  let firstMs: number | undefined
  let drawnMs = startMs + (work.patienceMs ?? 0) - REDRAW_INTERVAL_MS
  const display = (text: string) => Effect.ignore(terminal.display(text))
  yield* Effect.addFinalizer(() => display(CLEAR_LINE))

  const update = Effect.fnUntraced(function* (done: number) {
    const nowMs = yield* Clock.currentTimeMillis
    if (done > 0) {
      firstMs ??= nowMs
    }
    if (nowMs - drawnMs < REDRAW_INTERVAL_MS) {
      return
    }
    drawnMs = nowMs
    const elapsedMs = nowMs - (firstMs ?? nowMs)
    const rate = elapsedMs > 0 ? `  ${grouped(perSecond(done, elapsedMs))}/s` : ""
    const label = work.label.padEnd(LABEL_WIDTH)
    const figures = ` ${grouped(done)} of ${grouped(work.total)} ${work.noun}${rate}`
    const columns = yield* terminal.columns
    const width = Math.max(0, Math.min(BAR_WIDTH_MAX, columns - label.length - figures.length - 2))
    const [full, rest] = Plot.gauge(done, work.total, width)
    yield* display(`${CLEAR_LINE}${label} ${style.accent(full)}${style.faint(rest)}${figures}`)
  })
  yield* update(0)
  return { update }
})

const makeLines = (work: Work, startMs: number): Progress => {
  let quartersPrinted = 0
  const update = Effect.fnUntraced(function* (done: number) {
    const quarters = work.total === 0 ? 4 : Math.floor((done / work.total) * 4)
    const isTooSoon = (yield* Clock.currentTimeMillis) - startMs < (work.patienceMs ?? 0)
    if (quarters > quartersPrinted && !isTooSoon) {
      quartersPrinted = quarters
      yield* Console.log(`${work.label}: ${grouped(done)} of ${grouped(work.total)} ${work.noun}`)
    }
  })
  return { update }
}
