/** Making and opening logs, and the fiber that keeps one. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { CoreError } from "../CoreError.ts"
import { InvalidFormat } from "../CoreError.ts"
import type { LogBuffer, Options, OpenOptions } from "../LogBuffer.ts"
import * as LogBufferDescriptor from "../logbuffer/LogBufferDescriptor.ts"
import { LogBuffers } from "../logbuffer/LogBuffers.ts"
import { LogKeeper } from "../logbuffer/LogKeeper.ts"
import type { Region } from "../memory/Region.ts"
import * as agentFiber from "./agentFiber.ts"
import { attempt } from "./attempt.ts"
import { fail, LogBufferHandle } from "./logBufferHandle.ts"

const TERM_LENGTH_DEFAULT = 1024 * 1024
const MTU_LENGTH_DEFAULT = 1408
const PAGE_SIZE = LogBufferDescriptor.PAGE_SIZE_MIN
const LIVENESS_TIMEOUT_DEFAULT = "10 seconds"
const UNBLOCK_TIMEOUT_DEFAULT = "15 seconds"

export const regionLength = (termLength: number = TERM_LENGTH_DEFAULT): number =>
  LogBufferDescriptor.computeLogLength(termLength, PAGE_SIZE)

export const make = Effect.fnUntraced(function* (
  region: Region,
  options: Options = {}
): Effect.fn.Return<LogBuffer, CoreError, Scope.Scope> {
  const log = yield* lay(region, options)
  const livenessTimeoutMs = Duration.toMillis(options.livenessTimeout ?? LIVENESS_TIMEOUT_DEFAULT)
  const unblockTimeoutMs = Duration.toMillis(options.unblockTimeout ?? UNBLOCK_TIMEOUT_DEFAULT)
  const keeper = new LogKeeper(log, { readerTimeoutMs: livenessTimeoutMs, unblockTimeoutMs })
  yield* agentFiber.run(keeper, { idle: options.idle })
  // Runs before the keeper is stopped: readers elsewhere go on to the end of what was published, and then end.
  yield* Effect.addFinalizer(() => Effect.sync(() => keeper.endStream()))
  return new LogBufferHandle(log, livenessTimeoutMs, keeper)
})

export const open = (region: Region, options: OpenOptions = {}): Effect.Effect<LogBuffer, CoreError> =>
  attempt(
    () =>
      new LogBufferHandle(
        new LogBuffers(region),
        Duration.toMillis(options.livenessTimeout ?? LIVENESS_TIMEOUT_DEFAULT)
      )
  )

const lay = (region: Region, options: Options): Effect.Effect<LogBuffers, CoreError> =>
  Effect.suspend(() => {
    const metadataOffset = region.length - LogBufferDescriptor.METADATA_LENGTH
    if (metadataOffset >= 0 && region.buffer(metadataOffset).bytes.some((byte) => byte !== 0)) {
      const detail = "it holds a log already, or something else: a new log is made of zeroed memory"
      return fail(new InvalidFormat({ format: "log buffer", resource: region.state.name, detail }))
    }
    return attempt(() =>
      LogBuffers.create(region, {
        correlationId: 0n,
        initialTermId: options.initialTermId ?? 0,
        mtuLength: options.mtuLength ?? MTU_LENGTH_DEFAULT,
        termLength: options.termLength ?? TERM_LENGTH_DEFAULT,
        pageSize: PAGE_SIZE,
        sessionId: options.sessionId ?? 0,
        streamId: options.streamId ?? 0,
        type:
          options.publishers === "one"
            ? LogBufferDescriptor.LogType.ExclusivePublication
            : LogBufferDescriptor.LogType.ConcurrentPublication
      })
    )
  })
