/** `millrace top`: a driver and a store, live, on the whole screen. */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Terminal from "effect/Terminal"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import { liveTop } from "../internal/liveTop.ts"
import * as Sampling from "../internal/sampling.ts"
import * as Lines from "../output/Lines.ts"
import * as Style from "../output/Style.ts"
import * as Frame from "../top/Frame.ts"
import * as History from "../top/History.ts"
import * as View from "../top/View.ts"
import { json } from "./flags.ts"
import { interval, targets, targetsOf } from "./sampleFlags.ts"

const COLUMNS_DEFAULT = 80

const sort = Flag.Literals("sort", View.SORTS).pipe(
  Flag.withDescription("Order of streams and topics [rate]"),
  Flag.withMetavar(View.SORTS.join("|")),
  Flag.withDefault(View.initial.sort)
)

const once = Flag.Boolean("once").pipe(
  Flag.withDescription("One picture after an interval, whole, and no more"),
  Flag.withDefault(false)
)

/** Where there is no terminal the pictures come one below the other. */
const printed = Effect.fnUntraced(function* (
  sample: Effect.Effect<Frame.Picture["sample"]>,
  options: { readonly intervalMs: number; readonly view: View.View; readonly once: boolean; readonly json: boolean }
) {
  const terminal = yield* Terminal.Terminal
  const style = yield* Style.current
  const { intervalMs, view } = options
  let history = History.empty
  for (let isFirst = true; ; isFirst = false) {
    const now = yield* sample
    history = History.next(history, now)
    // Rates are there from the second sample on.
    if (!isFirst || !options.once) {
      if (options.json) {
        yield* Console.log(JSON.stringify(now))
      } else {
        const columns = (yield* terminal.columns) || COLUMNS_DEFAULT
        const frame = Frame.lines({ sample: now, history, view, intervalMs }, { columns, rows: Infinity }, style)
        yield* Lines.print(options.once ? frame : [...frame, ""])
      }
      if (options.once) {
        return
      }
    }
    yield* Effect.sleep(intervalMs)
  }
})

export const top = Command.make(
  "top",
  { ...targets, interval, sort, once, json },
  Effect.fnUntraced(function* (flags) {
    const sample = yield* Sampling.make(yield* targetsOf(flags))
    const { canAnimate } = yield* TerminalCapabilities.TerminalCapabilities
    const options = { intervalMs: flags.interval * 1000, view: { ...View.initial, sort: flags.sort } }
    yield* canAnimate && !flags.once && !flags.json
      ? liveTop(sample, options)
      : printed(sample, { ...options, once: flags.once, json: flags.json })
  }, Effect.scoped)
).pipe(
  Command.withDescription(
    "Shows a driver's directory and a store as they change: streams with positions, back pressure and loss, rates with " +
      "their history, clients and errors; topics with rates and lag, dispatch, flush and disk. The driver may be Aeron's, " +
      "the store RocketMQ's; both are only read. Without a terminal, and with --json, it prints a picture or a sample " +
      "each interval. The keys are shown with ?."
  ),
  Command.withShortDescription("Watch a driver and a store, live"),
  Command.withExamples([
    { command: "millrace top", description: "The driver that the user's programs share" },
    { command: "millrace top --store trades --once --json", description: "A store, one sample for a script" }
  ])
)
