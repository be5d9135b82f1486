/** The whole terminal for one picture, and as it was when the scope closes or the process ends in any way it can see. */
import * as Effect from "effect/Effect"
import * as Terminal from "effect/Terminal"
import * as fs from "node:fs"
import * as Screen from "../output/Screen.ts"

const STDOUT = 1

/** By a write that is done when it returns: the process ends before any other. */
const leaveNow = (): void => {
  try {
    fs.writeSync(STDOUT, Screen.LEAVE)
  } catch {
    // The terminal is gone, and with it what there was to restore.
  }
}

export interface FullScreen {
  /** Shows a frame: only what differs from the one before is sent. */
  readonly show: (lines: ReadonlyArray<string>) => Effect.Effect<void>
  /** Forgets what is there, as when the size has changed. */
  readonly forget: Effect.Effect<void>
}

export const fullScreen = Effect.gen(function* () {
  const terminal = yield* Terminal.Terminal
  const display = (commands: string) => Effect.ignore(terminal.display(commands))
  yield* Effect.acquireRelease(
    Effect.andThen(
      Effect.sync(() => process.once("exit", leaveNow)),
      display(Screen.ENTER)
    ),
    () =>
      Effect.andThen(
        display(Screen.LEAVE),
        Effect.sync(() => process.removeListener("exit", leaveNow))
      )
  )
  let shown: ReadonlyArray<string> | undefined
  return {
    show: (lines) =>
      Effect.suspend(() => {
        const commands = Screen.change(shown, lines)
        shown = lines
        return commands === "" ? Effect.void : display(commands)
      }),
    forget: Effect.sync(() => {
      shown = undefined
    })
  } satisfies FullScreen
})
