/** An open store: the engine, the loop that runs its agents, who waits, and the service over them. */
import type { Clock } from "@millrace/core/kernel/agent/Clock"
import * as Effect from "effect/Effect"
import * as MessageId from "../commitlog/MessageId.ts"
import type { MessageInput } from "../commitlog/MessageInput.ts"
import type { StoreCounters } from "../counters/StoreCounters.ts"
import { type QueueType, TopicConfigs } from "../config/TopicConfig.ts"
import { ANY_QUEUE, LongPolling } from "../dispatch/LongPolling.ts"
import { PutRefusal, type PutResult, type PutStatus } from "../engine/PutResult.ts"
import type { EngineListener, StoreEngine } from "../engine/StoreEngine.ts"
import type { StoreOptions } from "../engine/StoreOptions.ts"
import type { FileFailure, FileSystem } from "../mapped/FileSystem.ts"
import type { MessageStore } from "../MessageStore.ts"
import type { RecoveryReport } from "../recovery/Recovery.ts"
import { Closed, OptionIllegal, StoreError } from "../StoreError.ts"
import { Hooks, type StoreHooks } from "../StoreHooks.ts"
import { DutyLoop } from "./dutyLoop.ts"
import { LOOP_LENGTH_MAX, PutCompression } from "./putCompression.ts"
import { PutOrder } from "./putOrder.ts"
import { flushFailed, fromHealth, fromRefusal } from "./storeErrors.ts"
import { figuresOf, healthOf, statusOf } from "./storeFigures.ts"
import { attempt, openEngine } from "./storeOpen.ts"
import { attemptNow } from "./storeSteps.ts"
import { beforePut, extensionsOf } from "./storeHooks.ts"
import * as storeReading from "./storeReading.ts"
import { StoreEvents } from "./storeEvents.ts"
import { StoreTally } from "./storeTally.ts"

type Service = MessageStore["Service"]

/**
 * A fiber that puts without end lets others run after this many bytes. By itself it does so after some thousand steps, and
 * one step may put any number of messages (batches of 32 held up the loop of a busy machine for 2 s, with this for 0.5).
 */
const TURN_BYTES_MAX = 512 * 1024

/** How often a store that closes looks whether the sync that still runs has ended. */
const CLOSE_POLL_MS = 1

interface QueueName {
  readonly topic: string
  readonly queueId: number
}

export class StoreRuntime {
  readonly engine: StoreEngine
  readonly polling: LongPolling
  readonly tally: StoreTally
  readonly topics: TopicConfigs
  readonly service: Service
  /** Told once a turn of the agents what time it is, while others are shown how this store does. */
  counters: StoreCounters | undefined = undefined
  readonly #clock: Clock
  readonly #loop: DutyLoop
  readonly #events: StoreEvents
  readonly #hooks: StoreHooks
  readonly #compression: PutCompression
  readonly #order = new PutOrder()
  #defect: { readonly cause: unknown } | undefined = undefined
  /** Bytes that were put since the agents had their last turn. */
  #turnBytes = 0

  static open(
    fileSystem: FileSystem,
    options: StoreOptions,
    clock: Clock,
    machineIdentity: string
  ): Effect.Effect<StoreRuntime, StoreError> {
    return Effect.gen(function* () {
      const polling = new LongPolling(queueMicrotask)
      const tally = new StoreTally()
      const events = yield* StoreEvents.make(options.storePathRootDir)
      const hooks = yield* Hooks
      const extensions = extensionsOf(hooks, options.bitMapLengthConsumeQueueExt)
      let runtime: StoreRuntime | undefined = undefined
      const listener: EngineListener = {
        onWork: () => runtime?.wake(),
        onArrival: (queue) => polling.onArrival(queue),
        onHealth: () => {
          polling.wakeAll()
          runtime?.tellHealth()
        },
        onSyncStart: () => tally.onSyncStart(clock.nanoTime()),
        onSyncEnd: () => tally.onSyncEnd(clock.nanoTime()),
        onCleaning: (fromOffset, run) => events.onCleaning(fromOffset, () => clock.epochMs(), run)
      }
      const { engine, recovery } = yield* openEngine(fileSystem, options, clock, machineIdentity, listener, extensions)
      const topics = yield* attempt(() => new TopicConfigs(fileSystem, options.storePathRootDir)).pipe(
        Effect.onError(() => Effect.sync(() => engine.closeFiles()))
      )
      runtime = new StoreRuntime(engine, polling, topics, recovery, clock, tally, events, hooks)
      events.onOpened(recovery)
      runtime.wake()
      return runtime
    })
  }

  constructor(
    engine: StoreEngine,
    polling: LongPolling,
    topics: TopicConfigs,
    recovery: RecoveryReport,
    clock: Clock,
    tally: StoreTally,
    events: StoreEvents,
    hooks: StoreHooks
  ) {
    this.engine = engine
    this.polling = polling
    this.topics = topics
    this.tally = tally
    this.#clock = clock
    this.#events = events
    this.#hooks = hooks
    this.#compression = new PutCompression(engine.options)
    this.#loop = new DutyLoop(
      (nowNs) => {
        this.#turnBytes = 0
        this.counters?.doWork(nowNs)
        return engine.doWork(nowNs)
      },
      clock,
      (cause) => {
        this.#defect = { cause }
        this.engine.health.broken = { position: engine.dispatchedPosition, reason: String(cause) }
        this.polling.wakeAll()
        this.tellHealth()
      }
    )
    this.service = this.#makeService(recovery)
  }

  /** Tells when the store begins to refuse messages, or takes them again. */
  tellHealth(): void {
    const { health, options } = this.engine
    if (!health.isClosed) {
      this.#events.onHealth(health.isWriteable ? undefined : fromHealth(health, this.#directory, options.readOnly))
    }
  }

  get nowNs(): number {
    return this.#clock.nanoTime()
  }

  wake(): void {
    this.#loop.wake()
  }

  /** Ends the agents, waits for the sync that runs, brings everything to the device and closes the files. */
  close(): Effect.Effect<void> {
    const { engine } = this
    return Effect.gen({ self: this }, function* () {
      this.#loop.stop()
      engine.health.isClosed = true
      this.polling.wakeAll()
      while (engine.isSyncing) {
        yield* Effect.callback<void>((resume) => {
          setTimeout(() => resume(Effect.void), CLOSE_POLL_MS)
        })
      }
      // A device that fails here leaves `abort` behind: the next opening reads the log anew.
      yield* Effect.ignore(this.#bringToDevice, { log: true })
      yield* Effect.ignore(
        attempt(() => engine.close()),
        { log: true }
      )
    })
  }

  /** Syncs what is left off this thread: a store may have thousands of queues. */
  get #bringToDevice(): Effect.Effect<void, StoreError> {
    return Effect.gen({ self: this }, function* () {
      const steps = this.engine.closingSteps()[Symbol.iterator]()
      for (;;) {
        const step = yield* attempt(() => steps.next())
        if (step.done === true) {
          return
        }
        const start = step.value
        yield* start === undefined
          ? Effect.yieldNow
          : Effect.callback<void>((resume) => start(() => resume(Effect.void)))
      }
    })
  }

  /** What a store that is closed answers to everything; a defect of its agents is one of everybody who uses it. */
  unusable(): Effect.Effect<never, StoreError> | undefined {
    if (this.#defect !== undefined) {
      return Effect.die(this.#defect.cause)
    }
    return this.engine.health.isClosed
      ? Effect.fail(new StoreError({ reason: new Closed({ directory: this.#directory }) }))
      : undefined
  }

  /** Fails with the reason why the store takes no messages. */
  unhealthy(): Effect.Effect<never, StoreError> {
    const { health, options } = this.engine
    return Effect.fail(fromHealth(health, this.#directory, options.readOnly))
  }

  get #directory(): string {
    return this.engine.options.storePathRootDir
  }

  #makeService(recovery: RecoveryReport): Service {
    return {
      directory: this.#directory,
      recovery,
      put: (message) => Effect.suspend(() => this.#putOne(message)),
      putMany: (messages) => Effect.suspend(() => this.#put(messages, false)),
      putBatch: (messages) => Effect.suspend(() => this.#put(messages, true)),
      get: (request) => storeReading.get(this, request),
      awaitMessages: (topic, offsets, options) =>
        storeReading.awaitMessages(this, topic, offsets, ANY_QUEUE, options?.newQueues ?? false),
      query: (request) => storeReading.query(this, request, "any"),
      byUniqueKey: (topic, key) =>
        Effect.map(storeReading.query(this, { topic, key, maxCount: 1 }, "unique"), (messages) => messages[0]),
      lookup: (request) => this.use(() => storeReading.lookup(this.engine, request)),
      byPosition: (position) => storeReading.byPosition(this, position),
      byOffsetId: (id) => storeReading.byPosition(this, MessageId.positionOf(id)),
      offsetByTime: (request) => storeReading.offsetByTime(this, request),
      topics: this.#useWhole(() => storeReading.topics(this)),
      topic: (name) => this.#useWhole(() => storeReading.topic(this, name)),
      setQueueCount: (topic, count) =>
        this.use(() => {
          // Who only reads needs no number of queues: it says where to write.
          if (!this.engine.options.readOnly) {
            this.topics.set(topic, count, this.#clock.epochMs())
          }
        }),
      setQueueType: (topic, type) => this.#setQueueType(topic, type),
      flush: Effect.suspend(() => this.#whenFlushed(this.engine.commitLog.maxOffset)),
      status: this.#useWhole(() => statusOf(this.engine)),
      figuresUnsafe: () => figuresOf(this.engine, this.tally, this.polling.count),
      health: Effect.sync(() => healthOf(this.engine))
    }
  }

  #setQueueType(topic: string, type: QueueType): Effect.Effect<void, StoreError> {
    const { engine } = this
    const isBatch = type === "BatchCQ"
    return Effect.suspend(() => {
      const detail = engine.queues.obstacleTo(topic, isBatch)
      if (engine.options.readOnly) {
        return this.unhealthy()
      }
      return detail === undefined
        ? this.use(() => {
            this.topics.setQueueType(topic, type, this.#clock.epochMs())
            engine.queues.topic(topic).isBatch = isBatch
          })
        : Effect.fail(new StoreError({ reason: new OptionIllegal({ option: "queue.type", value: type, detail }) }))
    })
  }

  /**
   * A read of one queue or of anything, after everything that was put before it has been dispatched, and has left the
   * buffers of a transient pool.
   */
  use<A>(run: () => A, queue?: QueueName): Effect.Effect<A, StoreError> {
    return Effect.suspend(() => this.useNow(run, queue))
  }

  /** As `use`, for who is inside of a step already: a read is one step of its fiber. */
  useNow<A>(run: () => A, queue?: QueueName): Effect.Effect<A, StoreError> {
    return this.engine.options.transientStorePoolEnable
      ? Effect.flatMap(this.#whenReadable, () => this.readNow(run, queue))
      : this.readNow(run, queue)
  }

  /** As `useNow`, of what can be read at once: with a transient pool the newest messages are missing. */
  readNow<A>(run: () => A, queue?: QueueName): Effect.Effect<A, StoreError> {
    return this.#caughtUp(run, () => this.engine.catchUp(queue && this.engine.queues.find(queue.topic, queue.queueId)))
  }

  /** A read of the store as a whole, of what can be read at once. */
  #useWhole<A>(run: () => A): Effect.Effect<A, StoreError> {
    return Effect.suspend(() => this.#caughtUp(run, () => this.engine.catchUpAll()))
  }

  #caughtUp<A>(run: () => A, catchUp: () => void): Effect.Effect<A, StoreError> {
    return (
      this.unusable() ??
      attemptNow(() => {
        catchUp()
        return run()
      })
    )
  }

  readonly #whenReadable: Effect.Effect<void> = Effect.callback<void>((resume) => {
    // A failed write ends the store for those who put. What could be read before can be read all the same.
    const cancel = this.engine.whenReadable(() => resume(Effect.void))
    if (cancel === undefined) {
      resume(Effect.void)
      return
    }
    this.wake()
    return Effect.sync(cancel)
  })

  /** One message. Where nothing is to be waited for, which is most often so, all of it is one step of the fiber. */
  #putOne(message: MessageInput): Effect.Effect<PutResult, StoreError> {
    const messages = [message]
    const isPlain =
      this.#hooks.put === undefined &&
      this.#isSettledAtOnce &&
      this.#compression.lengthOf(messages) === 0 &&
      this.#order.isFree(messages)
    if (!isPlain) {
      return Effect.map(this.#put(messages, false), (results) => results[0]!)
    }
    const unusable = this.unusable()
    if (unusable !== undefined) {
      return unusable
    }
    const outcome = this.#write(messages, false)
    return outcome instanceof PutRefusal ? this.#refuse(outcome, messages) : this.#inTurn(outcome[0]!)
  }

  /** To be called when the put is to be done, not when it is described. */
  #put(messages: ReadonlyArray<MessageInput>, isBatch: boolean): Effect.Effect<ReadonlyArray<PutResult>, StoreError> {
    const { put: hooks } = this.#hooks
    return hooks === undefined
      ? this.#putAllowed(messages, isBatch)
      : Effect.flatMap(
          Effect.suspend(() => beforePut(hooks, messages)),
          (passed) => this.#putAllowed(passed, isBatch)
        )
  }

  #putAllowed(
    messages: ReadonlyArray<MessageInput>,
    isBatch: boolean
  ): Effect.Effect<ReadonlyArray<PutResult>, StoreError> {
    // A client's batch is stored as it is, as RocketMQ's clients do.
    const length = isBatch ? 0 : this.#compression.lengthOf(messages)
    if (length <= LOOP_LENGTH_MAX && this.#order.isFree(messages)) {
      const packed = length === 0 ? messages : this.#compression.now(messages)
      return this.#settled(messages, this.#store(packed, isBatch))
    }
    const prepare = length === 0 ? Effect.succeed(messages) : this.#compression.later(messages)
    const stored = this.#order.inTurn(messages, prepare, (packed) => this.#store(packed, isBatch))
    return this.#settled(messages, stored)
  }

  #store(messages: ReadonlyArray<MessageInput>, isBatch: boolean): Effect.Effect<ReadonlyArray<PutResult>, StoreError> {
    const unusable = this.unusable()
    if (unusable !== undefined) {
      return unusable
    }
    const outcome = this.#write(messages, isBatch)
    return outcome instanceof PutRefusal ? this.#refuse(outcome, messages) : this.#inTurn(outcome)
  }

  #write(messages: ReadonlyArray<MessageInput>, isBatch: boolean): ReadonlyArray<PutResult> | PutRefusal {
    const { engine } = this
    const nowMs = this.#clock.epochMs()
    const { files } = engine.commitLog
    const { lastFile, maxOffset } = files
    const outcome = isBatch ? engine.putBatch(messages, nowMs) : engine.put(messages, nowMs)
    if (lastFile !== undefined && files.lastFile !== lastFile) {
      this.#events.onRolled(files.lastFile!.fromOffset, nowMs, this.#clock.epochMs())
    }
    const bytes = files.maxOffset - maxOffset
    const stored = outcome instanceof PutRefusal ? outcome.stored : outcome
    this.tally.onPut(stored.length, bytes)
    this.#turnBytes += bytes
    return outcome
  }

  #refuse(refusal: PutRefusal, messages: ReadonlyArray<MessageInput>): Effect.Effect<never, StoreError> {
    const { health, options } = this.engine
    const error = fromRefusal(refusal, messages, () => fromHealth(health, this.#directory, options.readOnly))
    return Effect.fail(this.tally.refused(error))
  }

  /** A value for a fiber that has put, after others had their turn where it has put much. */
  #inTurn<A>(value: A): Effect.Effect<A> {
    return this.#turnBytes > TURN_BYTES_MAX ? Effect.as(Effect.yieldNow, value) : Effect.succeed(value)
  }

  /** Whether nothing is waited for when messages are in the log. */
  get #isSettledAtOnce(): boolean {
    return !this.#isSync && this.#hooks.replicate === undefined
  }

  /** A put is over when its messages are on the device, with synchronous flush, and replicated, if there are replicas. */
  #settled(
    messages: ReadonlyArray<MessageInput>,
    stored: Effect.Effect<ReadonlyArray<PutResult>, StoreError>
  ): Effect.Effect<ReadonlyArray<PutResult>, StoreError> {
    return this.#isSettledAtOnce ? stored : Effect.flatMap(stored, (results) => this.#settle(messages, results))
  }

  /** Waits until the results are where they are to be, for those messages that want it. */
  #settle(
    messages: ReadonlyArray<MessageInput>,
    results: ReadonlyArray<PutResult>
  ): Effect.Effect<ReadonlyArray<PutResult>, StoreError> {
    let last: PutResult | undefined = undefined
    for (let index = 0; index < results.length; index++) {
      if (messages[index]!.wait !== false) {
        last = results[index]!
      }
    }
    if (last === undefined) {
      return Effect.succeed(results)
    }
    const end = last.position + last.length
    const { replicate } = this.#hooks
    const flushed = this.#flushStatus(end)
    type Statuses = readonly [flush: PutStatus, replication: PutStatus]
    const settled: Effect.Effect<Statuses, StoreError> =
      replicate === undefined
        ? Effect.map(flushed, (status): Statuses => [status, "PUT_OK"])
        : Effect.all([flushed, replicate(end)], { concurrency: "unbounded" })
    return Effect.map(settled, ([flush, replication]) => {
      const isOnDisk = this.#isSync && flush === "PUT_OK"
      for (let index = 0; index < results.length; index++) {
        const result = results[index]!
        if (messages[index]!.wait !== false) {
          result.durability = isOnDisk ? "disk" : "memory"
          result.status = replication === "PUT_OK" ? flush : replication
        }
      }
      return results
    })
  }

  get #isSync(): boolean {
    return this.engine.options.flushDiskType === "SYNC_FLUSH"
  }

  #flushStatus(position: number): Effect.Effect<"PUT_OK" | "FLUSH_DISK_TIMEOUT", StoreError> {
    return this.#isSync
      ? this.#whenFlushed(position).pipe(
          Effect.timeoutOption(this.engine.options.syncFlushTimeout),
          Effect.map((flushed) => (flushed._tag === "Some" ? "PUT_OK" : "FLUSH_DISK_TIMEOUT"))
        )
      : Effect.succeed("PUT_OK")
  }

  #whenFlushed(position: number): Effect.Effect<void, StoreError> {
    return Effect.callback<void, StoreError>((resume) => {
      const unusable = this.unusable()
      if (unusable !== undefined) {
        resume(unusable)
        return
      }
      const cancel = this.engine.flush.whenFlushed(position, (failure: FileFailure | undefined) =>
        resume(failure === undefined ? Effect.void : Effect.fail(this.tally.refused(flushFailed(failure))))
      )
      this.wake()
      return Effect.sync(cancel)
    })
  }
}
