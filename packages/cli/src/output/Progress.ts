/**
 * Progress of one piece of work: a line on standard error that redraws itself, where that is a terminal. Elsewhere
 * nothing, so that what is kept of a run is what was asked for.
 */
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Terminal from "effect/Terminal"
import * as Plot from "./Plot.ts"
import { grouped, perSecond } from "./Quantity.ts"
import * as Style from "./Style.ts"

export interface Progress {
  /** How much is done by now. May be called as often as wanted: it draws at most ten times a second. */
  readonly update: (done: number) => Effect.Effect<void>
}

const REDRAW_INTERVAL_MS = 100
const PATIENCE_MS_DEFAULT = 1000
const LABEL_WIDTH = 12
const BAR_WIDTH_MAX = 40
/** Where standard output is no terminal nobody says how wide that of standard error is. */
const COLUMNS_DEFAULT = 80
const CLEAR_LINE = "\r\u001b[2K"

export interface Work {
  /** What is being done: one word or two. */
  readonly label: string
  /** What is counted. */
  readonly noun: string
  /** Undefined where nobody knows. */
  readonly total: number | undefined
  /** Nothing is shown of work that is done within this time. Default: a second. */
  readonly patienceMs?: number
}

/** Shows nothing. */
export const silent: Progress = { update: () => Effect.void }

const isDumb = Effect.map(Effect.orDie(Config.option(Config.String("TERM"))), (term) =>
  Option.exists(term, (name) => name === "dumb")
)

/** Follows a piece of work. The line that was drawn is gone when the scope closes. */
export const make = Effect.fnUntraced(function* (
  work: Work
): Effect.fn.Return<Progress, never, Scope.Scope | Stdio.Stdio | Terminal.Terminal> {
  const stdio = yield* Stdio.Stdio
  return (yield* stdio.stderrIsTerminal) && !(yield* isDumb) ? yield* makeBar(work) : silent
})

const makeBar = Effect.fnUntraced(function* (work: Work) {
  const { columns } = yield* Terminal.Terminal
  const stdio = yield* Stdio.Stdio
  const style = yield* Style.current
  const startMs = yield* Clock.currentTimeMillis
  // The first moments of most work are spent on getting ready, which says nothing about its pace.
  let firstMs: number | undefined
  let drawnMs = startMs + (work.patienceMs ?? PATIENCE_MS_DEFAULT) - REDRAW_INTERVAL_MS
  let isDrawn = false
  const display = (text: string) => Effect.ignore(Stream.run(Stream.succeed(text), stdio.stderr()))
  yield* Effect.addFinalizer(() => (isDrawn ? display(CLEAR_LINE) : Effect.void))

  const update = Effect.fnUntraced(function* (done: number) {
    const nowMs = yield* Clock.currentTimeMillis
    if (done > 0) {
      firstMs ??= nowMs
    }
    if (nowMs - drawnMs < REDRAW_INTERVAL_MS) {
      return
    }
    drawnMs = nowMs
    isDrawn = true
    const elapsedMs = nowMs - (firstMs ?? nowMs)
    yield* display(CLEAR_LINE + lineOf(work, done, elapsedMs, (yield* columns) || COLUMNS_DEFAULT, style))
  })
  yield* update(0)
  return { update }
})

const lineOf = (
  { label, noun, total }: Work,
  done: number,
  elapsedMs: number,
  columns: number,
  style: Style.Style
): string => {
  const head = label.padEnd(LABEL_WIDTH)
  const rate = elapsedMs > 0 ? `  ${grouped(perSecond(done, elapsedMs))}/s` : ""
  if (total === undefined) {
    return `${head} ${grouped(done)} ${noun}${rate}`
  }
  const figures = ` ${grouped(done)} of ${grouped(total)} ${noun}${rate}`
  const width = Math.max(0, Math.min(BAR_WIDTH_MAX, columns - head.length - figures.length - 2))
  const [full, rest] = Plot.gauge(done, total, width)
  return `${head} ${style.accent(full)}${style.faint(rest)}${figures}`
}
