/**
 * A child process of the demo as its parent sees it: it runs in a process group of its own, so that the terminal's
 * Ctrl-C reaches the parent alone, and it follows the parent, whose end closes its standard input.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"
import * as Stream from "effect/Stream"
import * as Ndjson from "effect/encoding/Ndjson"
import * as ChildProcess from "effect/process/ChildProcess"
import type { ChildProcessHandle } from "effect/process/ChildProcessSpawner"
import { fileURLToPath } from "node:url"
import { badInput, CommandError, ProcessDied, ProcessFailed } from "../CommandError.ts"
import * as ChildEvent from "../demo/ChildEvent.ts"
import * as ExitCode from "./exitCode.ts"

/** A child that stops on request gets this long before it is killed. */
const FORCE_KILL_AFTER = "1500 millis"
const STDERR_TAIL_CHARACTERS = 4096

export interface Child {
  readonly role: string
  readonly pid: number
  /** Runs until the child has done its work and ended; fails when it ends without having done it. */
  readonly run: (onProgress: (records: number) => Effect.Effect<void>) => Effect.Effect<ChildEvent.Done, CommandError>
}

/** Starts `entry` with `config` as its one argument. The child is stopped when the scope closes. */
export const fork = Effect.fnUntraced(function* (role: string, entry: URL, config: unknown) {
  const handle = yield* ChildProcess.make(
    process.execPath,
    [...process.execArgv, fileURLToPath(entry), JSON.stringify(config)],
    { stdin: { stream: "pipe", endOnDone: false }, stdout: "pipe", stderr: "pipe", forceKillAfter: FORCE_KILL_AFTER }
  ).pipe(Effect.orDie)
  const child: Child = { role, pid: handle.pid, run: (onProgress) => follow(role, handle, onProgress) }
  return child
})

const follow = Effect.fnUntraced(function* (
  role: string,
  handle: ChildProcessHandle,
  onProgress: (records: number) => Effect.Effect<void>
) {
  let done: ChildEvent.Done | undefined
  let failed: typeof ChildEvent.Failed.Type | undefined
  const onEvent = (event: ChildEvent.ChildEvent) => {
    if (event._tag === "Progress") {
      return onProgress(event.records)
    }
    if (event._tag === "Done") {
      done = event
    } else {
      failed = event
    }
    return Effect.void
  }
  const events = handle.stdout.pipe(
    Stream.pipeThroughChannelOrFail(Ndjson.decodeSchema(ChildEvent.ChildEvent)()),
    Stream.runForEach(onEvent),
    Effect.orDie
  )
  const [, complaint, exit] = yield* Effect.all([events, stderrTail(handle), Effect.exit(handle.exitCode)], {
    concurrency: "unbounded"
  })
  if (done !== undefined && Exit.isSuccess(exit) && exit.value === ExitCode.DONE) {
    return done
  }
  if (failed?.reason !== undefined) {
    return yield* new CommandError({ reason: failed.reason })
  }
  if (failed !== undefined && Exit.isSuccess(exit) && exit.value === ExitCode.BAD_INPUT) {
    return yield* badInput(`the ${role}`, failed.message)
  }
  if (failed !== undefined) {
    return yield* new CommandError({ reason: new ProcessFailed({ role, detail: failed.message }) })
  }
  const how = howEnded(exit)
  return yield* new CommandError({ reason: new ProcessDied({ role, pid: handle.pid, how, detail: complaint }) })
})

const stderrTail = (handle: ChildProcessHandle) =>
  handle.stderr.pipe(
    Stream.decodeText(),
    Stream.runFold(
      () => "",
      (tail, text) => (tail + text).slice(-STDERR_TAIL_CHARACTERS)
    ),
    Effect.map((tail) => tail.trim()),
    Effect.orDie
  )

/** The spawner says only in its error's text which signal ended a process. */
const howEnded = (exit: Exit.Exit<number, PlatformError>): string => {
  if (Exit.isSuccess(exit)) {
    return exit.value === ExitCode.DONE ? "ended too early" : `ended with exit code ${exit.value}`
  }
  const cause = Option.getOrUndefined(Exit.findErrorOption(exit))?.cause
  const signal = cause instanceof Error ? /SIG[A-Z0-9]+/.exec(cause.message) : null
  return signal === null ? "ended in an unknown way" : `was killed by ${signal[0]}`
}
