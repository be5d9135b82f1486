/**
 * Runs the one effect of a process and turns its end, or the signal that ended it, into the exit code: that of
 * `exitCode.ts`, or 128 + n after signal n (130 SIGINT, 143 SIGTERM, 129 SIGHUP, 141 when whoever read our output is
 * gone, which is what SIGPIPE tells other programs).
 *
 * The first signal interrupts: everything that the effect holds is released. A second one, or a release that takes
 * longer than `STOP_DEADLINE_MS`, ends the process at once; what is registered with `process.on("exit")` still runs.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Runtime from "effect/Runtime"
import * as ExitCode from "./exitCode.ts"

const SIGNAL_NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGPIPE: 13, SIGTERM: 15 } as const
type Signal = keyof typeof SIGNAL_NUMBERS
/** Node ignores SIGPIPE and gives the error of the write instead. */
const SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM"] as const

export const STOP_DEADLINE_MS = 1800

/** A shell adds 128 to the number of the signal, and so do we. */
let signalCodeBase = 128

/** Ends this process whatever else is going on in it; handlers of `exit` run. */
export const endProcess = (code: number): never => process.exit(code)

/** From now on a signal ends this process with its bare number, as it ends `aeronmd`. */
export const exitWithSignalNumber: Effect.Effect<void> = Effect.sync(() => {
  signalCodeBase = 0
})

const signalExitCode = (signal: Signal): number => signalCodeBase + SIGNAL_NUMBERS[signal]

const teardown: Runtime.Teardown = (exit, onExit) =>
  onExit(Exit.isSuccess(exit) ? ExitCode.DONE : ExitCode.ofCause(exit.cause))

let received: Signal | undefined

/** Whether the process was told to stop: what fails from then on is not worth a word. */
export const isStopping = (): boolean => received !== undefined

const run = Runtime.makeRunMain(({ fiber, teardown }) => {
  const onSignal = (signal: Signal) => {
    if (received !== undefined) {
      endProcess(signalExitCode(received))
    }
    received = signal
    process.exitCode = signalExitCode(signal)
    fiber.interruptUnsafe(fiber.id)
    setTimeout(() => endProcess(signalExitCode(signal)), STOP_DEADLINE_MS).unref()
  }
  for (const signal of SIGNALS) {
    process.on(signal, onSignal)
  }
  // Each write after the first that failed fails too.
  process.stdout.on("error", () => void (received ?? onSignal("SIGPIPE")))
  process.stderr.on("error", () => {})

  fiber.addObserver((exit) => {
    teardown(exit, (code) => {
      if (received !== undefined) {
        endProcess(signalExitCode(received))
      }
      // A process that succeeded ends by itself, so that all of its output is written.
      if (code === ExitCode.DONE) {
        for (const signal of SIGNALS) {
          process.removeListener(signal, onSignal)
        }
      } else {
        endProcess(code)
      }
    })
  })
})

export const runMain = <A, E>(effect: Effect.Effect<A, E>): void =>
  run(effect, { teardown, disableErrorReporting: true })
