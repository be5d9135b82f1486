/** A store as a scoped service: what is opened with the layer is closed with it, in the reverse order. */
import { clock as systemClock } from "@millrace/core/AgentRunner"
import type { Clock } from "@millrace/core/kernel/agent/Clock"
import * as EffectClock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as StorePaths from "../engine/StorePaths.ts"
import type { FileSystem } from "../mapped/FileSystem.ts"
import { MemoryFileSystem } from "../mapped/MemoryFileSystem.ts"
import type { MessageStore } from "../MessageStore.ts"
import { conclude, type MessageStoreOptions } from "../MessageStoreConfig.ts"
import type { StoreError } from "../StoreError.ts"
import * as countersFile from "./countersFile.ts"
import { machineIdentity } from "./machineIdentity.ts"
import { makeNodeFileSystem } from "./nodeFileSystem.ts"
import * as storeOpen from "./storeOpen.ts"
import { StoreRuntime } from "./storeRuntime.ts"

type Service = MessageStore["Service"]

export const make = Effect.fnUntraced(function* (
  options: MessageStoreOptions
): Effect.fn.Return<Service, StoreError, Scope.Scope> {
  const { directory } = options
  const { writeWithoutMmap } = yield* conclude(options)
  const nodeFileSystem = makeNodeFileSystem({ isPositional: writeWithoutMmap })
  yield* storeOpen.refuseForeign(nodeFileSystem, directory, options.readOnly ?? false)
  if (options.readOnly === true) {
    return (yield* open(nodeFileSystem, options)).service
  }
  yield* storeOpen.acquireLock(nodeFileSystem, directory)
  yield* storeOpen.attempt(() => {
    const path = StorePaths.lock(directory)
    if (nodeFileSystem.readBytes(path)?.length === 0) {
      nodeFileSystem.writeBytes(path, storeOpen.lockText)
    }
  })
  const runtime = yield* open(nodeFileSystem, options)
  if (runtime.engine.options.countersFileEnable) {
    yield* countersFile.share(runtime)
  }
  return runtime.service
})

/** Files of a store in memory are smaller: each takes its whole length at once. */
const MEMORY_COMMIT_LOG_LENGTH = 16 * 1024 * 1024
const MEMORY_QUEUE_LENGTH = 20 * 10_000
const MEMORY_BATCH_QUEUE_LENGTH = 46 * 4000
const MEMORY_EXT_QUEUE_LENGTH = 20 * 10_000

export const makeMemory = (
  options: Omit<MessageStoreOptions, "directory">
): Effect.Effect<Service, StoreError, Scope.Scope> =>
  Effect.map(
    Effect.suspend(() =>
      open(new MemoryFileSystem((run) => void setImmediate(run)), {
        mappedFileSizeCommitLog: MEMORY_COMMIT_LOG_LENGTH,
        mappedFileSizeConsumeQueue: MEMORY_QUEUE_LENGTH,
        mapperFileSizeBatchConsumeQueue: MEMORY_BATCH_QUEUE_LENGTH,
        mappedFileSizeConsumeQueueExt: MEMORY_EXT_QUEUE_LENGTH,
        ...options,
        directory: "memory"
      })
    ),
    ({ service }) => service
  )

const open = Effect.fnUntraced(function* (
  fileSystem: FileSystem,
  options: MessageStoreOptions
): Effect.fn.Return<StoreRuntime, StoreError, Scope.Scope> {
  const effectClock = yield* EffectClock.Clock
  // Store times are those of the program (a test's, when it has a clock of its own); pauses of the agents are real.
  const clock: Clock = {
    nanoTime: () => systemClock.nanoTime(),
    epochMs: () => effectClock.currentTimeMillisUnsafe()
  }
  const attributes = { directory: options.directory }
  const concluded = yield* storeOpen.concludeOptions(fileSystem, options)
  const runtime = yield* Effect.acquireRelease(
    Effect.withSpan(
      StoreRuntime.open(fileSystem, concluded, clock, machineIdentity(options.directory)),
      "millrace.store.open",
      { attributes, captureStackTrace: false }
    ),
    (opened) => Effect.withSpan(opened.close(), "millrace.store.close", { attributes, captureStackTrace: false })
  )
  const { last, mappings } = fileSystem.refusals
  if (last !== undefined) {
    yield* Effect.logWarning(
      `${mappings} files of the store in ${options.directory} are read and written by position, which costs a system ` +
        `call each time: the system refuses to map them (${last.message})`
    )
  }
  return runtime
})
