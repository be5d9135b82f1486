import { assert, describe, it } from "@effect/vitest"
import { BatchReader } from "../../src/logbuffer/BatchReader.ts"
import { FragmentBatch } from "../../src/logbuffer/FragmentBatch.ts"
import { LogType } from "../../src/logbuffer/LogBufferDescriptor.ts"
import { LogBufferUnblocker } from "../../src/logbuffer/LogBufferUnblocker.ts"
import { TermAppender } from "../../src/logbuffer/TermAppender.ts"
import * as TermCleaner from "../../src/logbuffer/TermCleaner.ts"
import * as Peers from "../Peers.ts"
import * as LogStress from "./LogStress.ts"

const READERS = ["batches", "frames"] as const

/** What a driver does for a log: cleans behind the slowest reader, then lets the publishers further. */
class Driver {
  private readonly shared: LogStress.SharedLog
  private cleaned = 0

  constructor(shared: LogStress.SharedLog) {
    this.shared = shared
    this.shared.limit = LogStress.TERM_LENGTH / 2
  }

  work(slowestPosition: number): boolean {
    if (slowestPosition === this.cleaned) {
      return false
    }
    while (this.cleaned < slowestPosition) {
      this.cleaned = TermCleaner.clean(this.shared.log, this.cleaned, slowestPosition)
    }
    this.shared.limit = slowestPosition + LogStress.TERM_LENGTH / 2
    return true
  }
}

interface Run {
  readonly mode: "workers" | "processes"
  readonly ways: ReadonlyArray<LogStress.Way>
  readonly isExclusive: boolean
  readonly atomics?: boolean
  readonly messages: number
}

const passAll = async ({ atomics = false, isExclusive, messages, mode, ways }: Run): Promise<void> => {
  const each = Math.ceil(messages / ways.length / LogStress.BATCH_COUNT) * LogStress.BATCH_COUNT
  const memory = Peers.share(mode, LogStress.REGION_LENGTH)
  const suffix = atomics ? "Atomics" : ""
  try {
    const type = isExclusive ? LogType.ExclusivePublication : LogType.ConcurrentPublication
    const shared = LogStress.SharedLog.create(memory.region, type)
    const driver = new Driver(shared)
    const readers = READERS.map((kind, reader) =>
      memory.start(import.meta.url, `./logReader${suffix}.peer.ts`, {
        reader,
        kind,
        ways,
        messageCount: each * ways.length,
        seed: Peers.seed
      } satisfies LogStress.ReaderPlan)
    )
    const publishers = ways.map((way, publisher) =>
      memory.start(import.meta.url, `./logPublisher${suffix}.peer.ts`, {
        publisher,
        way,
        isExclusive,
        messageCount: each,
        seed: Peers.seed
      } satisfies LogStress.PublisherPlan)
    )
    let failure: unknown
    for (const { result } of [...readers, ...publishers]) {
      result.catch((cause: unknown) => (failure = cause))
    }
    while (readers.some((reader) => reader.isRunning())) {
      if (!driver.work(Math.min(...READERS.map((_, reader) => shared.readerPosition(reader))))) {
        Peers.pause()
        await Peers.turn()
      }
      if (failure !== undefined) {
        throw failure
      }
    }
    await Promise.all(publishers.map(({ result }) => result))
    for (const reader of readers) {
      assert.deepStrictEqual(
        await reader.result,
        ways.map(() => each)
      )
    }
  } finally {
    memory.remove()
  }
}

describe("log buffers under stress", () => {
  const concurrent = { isExclusive: false, ways: ["append", "claim", "batch"] } as const
  for (const mode of ["workers", "processes"] as const) {
    it(`passes every message of three publishers to two readers over many rotations, in ${mode}`, async () => {
      await passAll({ ...concurrent, mode, messages: Peers.countOr(30_000) })
    })

    it(`passes every message of an exclusive publisher to two readers, in ${mode}`, async () => {
      await passAll({ isExclusive: true, ways: ["append"], mode, messages: Peers.countOr(30_000) / 3 })
      await passAll({ isExclusive: true, ways: ["batch"], mode, messages: Peers.countOr(30_000) / 3 })
    })
  }

  it("passes every message when all accesses that order are Atomics, in workers", async () => {
    await passAll({ ...concurrent, mode: "workers", atomics: true, messages: Peers.countOr(30_000) / 4 })
    const exclusive = { isExclusive: true, ways: ["batch"], mode: "workers", atomics: true } as const
    await passAll({ ...exclusive, messages: Peers.countOr(30_000) / 4 })
  })

  it("loses nothing but what dead publishers had not finished when they are killed and the log is unblocked", async () => {
    const rounds = Math.ceil(Peers.countOr(40_000) / 20_000)
    for (let round = 0; round < rounds; round++) {
      await killAll(Peers.seed + round)
    }
  })
})

/** Three publishers in processes of their own that are killed in the middle of it; then the log is freed and read on. */
const killAll = async (seed: number): Promise<void> => {
  const ways = ["append", "claim", "batch"] as const
  const memory = Peers.share("processes", LogStress.REGION_LENGTH)
  try {
    const shared = LogStress.SharedLog.create(memory.region, LogType.ConcurrentPublication)
    const driver = new Driver(shared)
    const checker = new LogStress.Checker(seed, ways)
    const reader = new BatchReader(shared.log, 0)
    const batch = new FragmentBatch(64)
    const poll = (): number => {
      const count = reader.read(batch)
      for (let index = 0; index < count; index++) {
        if (batch.lengths[index] !== LAST.length) {
          checker.onMessage(batch.buffer, batch.offsets[index]!, batch.lengths[index]!)
        }
      }
      driver.work(reader.position)
      return count
    }
    const publishers = ways.map((way, publisher) =>
      memory.start(import.meta.url, "./logPublisher.peer.ts", {
        publisher,
        way,
        isExclusive: false,
        messageCount: 2 ** 30,
        seed
      } satisfies LogStress.PublisherPlan)
    )
    const killAt = 2000 + (Peers.random(seed)() % 4000)
    while (publishers.some((publisher) => publisher.isRunning())) {
      if (poll() === 0) {
        await Peers.turn()
      }
      if (checker.total >= killAt) {
        publishers.forEach((publisher) => publisher.kill())
      }
    }
    freeAndDrain(shared, reader, poll)
    assert.isAtLeast(checker.total, killAt)
    assert.strictEqual(checker.received[2]! % LogStress.BATCH_COUNT, 0, "a batch is all or nothing")
  } finally {
    memory.remove()
  }
}

/** Shorter than any message of a publisher. */
const LAST = new Uint8Array(1)

/** Nobody writes any more: one message behind everything shows where the last claim ends, and the rest is freed. */
const freeAndDrain = (shared: LogStress.SharedLog, reader: BatchReader, poll: () => number): void => {
  const appender = new TermAppender(shared.log)
  const unblocker = new LogBufferUnblocker(shared.log)
  while (appender.append(LAST, 0, LAST.length) < 0) {
    // The log had to be rotated first.
  }
  while (reader.position < appender.position()) {
    const position = reader.position
    poll()
    if (reader.position === position) {
      assert.isTrue(unblocker.unblock(position), `blocked for ever at ${position}`)
    }
  }
}
