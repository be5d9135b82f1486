/** `top` on a terminal: samples, keys and changes of size, each of which is drawn anew. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Terminal from "effect/Terminal"
import * as Style from "../output/Style.ts"
import * as Frame from "../top/Frame.ts"
import * as History from "../top/History.ts"
import type { Sample } from "../top/Sample.ts"
import * as View from "../top/View.ts"
import { fullScreen } from "./fullScreen.ts"

interface Options {
  readonly intervalMs: number
  readonly view: View.View
}

/** In raw mode Ctrl-C is a key like any other: it is made the signal again that it stands for. */
const interrupt = Effect.andThen(
  Effect.sync(() => process.kill(process.pid, "SIGINT")),
  Effect.never
)

const nameOf = ({ input, key }: Terminal.UserInput): string => key.name || Option.getOrElse(input, () => "")

/** Runs until a key ends it. */
export const liveTop = Effect.fnUntraced(function* (sample: Effect.Effect<Sample>, { intervalMs, view }: Options) {
  const terminal = yield* Terminal.Terminal
  const style = yield* Style.current
  let picture: Frame.Picture = { sample: yield* sample, history: History.empty, view, intervalMs }
  const screen = yield* fullScreen
  const sizes = yield* terminal.size
  const keys = yield* terminal.readInput
  // One drawing stands for all that has changed while the one before was on its way.
  const changes = yield* Queue.sliding<void>(1)
  const changed = Queue.offer(changes, undefined)

  const drawing = Effect.gen(function* () {
    yield* Queue.take(changes)
    const size = { columns: yield* terminal.columns, rows: yield* terminal.rows }
    yield* screen.show(Frame.lines(picture, size, style))
  })
  const sampling = Effect.gen(function* () {
    yield* Effect.sleep(intervalMs)
    if (!picture.view.isPaused) {
      const now = yield* sample
      picture = { ...picture, sample: now, history: History.next(picture.history, now) }
      yield* changed
    }
  })
  const resizing = Effect.gen(function* () {
    yield* Queue.take(sizes)
    yield* screen.forget
    yield* changed
  }).pipe(Effect.catch(() => Effect.never))
  const reading = Effect.gen(function* () {
    for (;;) {
      const input = yield* Queue.take(keys)
      if (input.key.ctrl && input.key.name === "c") {
        return yield* interrupt
      }
      const pressed = View.press(picture.view, nameOf(input), Frame.rowCount(picture))
      if (pressed === undefined || (input.key.ctrl && input.key.name === "d")) {
        return
      }
      picture = { ...picture, view: pressed }
      yield* changed
    }
  }).pipe(
    // Where the input is no terminal it ends, and the show goes on without keys.
    Effect.catch(() => Effect.never)
  )
  yield* changed
  yield* Effect.raceFirst(
    reading,
    Effect.all([Effect.forever(drawing), Effect.forever(sampling), Effect.forever(resizing)], {
      concurrency: "unbounded",
      discard: true
    })
  )
}, Effect.scoped)
