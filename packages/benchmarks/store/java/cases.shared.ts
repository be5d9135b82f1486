/**
 * Ours beside the real DefaultMessageStore: the same messages on the same disk, each store in a directory of its own, and
 * each with its own defaults but for the length of its files. Java's side does in one thread (or `producers` threads) what
 * ours does in one fiber (or as many); messages that are read are decoded on both sides.
 *
 * Where there is no Java its rows are left out, and it says why.
 */
import * as MessageStore from "@millrace/store/MessageStore"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { group, type Bench, type Case, type Group } from "#harness/Group"
import * as load from "../load.shared.ts"
import { type Cost, javaAbsence, JavaStore } from "./java.shared.ts"

const LOG_FILE_LENGTH = 256 * 1024 * 1024
/** Messages that the cases which read find; those of a recovery lie in one file. */
const STORED = 400_000
const LENGTH = 124
/** A store is begun anew beyond this much: a benchmark should not fill the disk. */
const STORED_BYTES_MAX = 1024 * 1024 * 1024
const SMOKE_COUNT = 128

export type FlushDiskType = "ASYNC_FLUSH" | "SYNC_FLUSH"

const temporaryDirectory = (): string => fs.mkdtempSync(join(tmpdir(), "millrace-bench-"))

export const absence = javaAbsence()
if (absence !== undefined) {
  process.stderr.write(`store/java: the rows of Java are left out: ${absence}\n`)
}

/** What both sides do. */
export interface Side {
  put(first: number, count: number): Promise<Cost>
  /** Reads messages; RocketMQ decodes each of them as it does for its clients. */
  get(count: number): Promise<Cost>
  /** The same, where all fields of each message are asked for. */
  getFields(count: number): Promise<Cost>
  query(count: number, stored: number): Promise<Cost>
  /** Closes the store, and opens it as one that was not closed: the cost of the opening. */
  recover(): Promise<Cost>
  end(): Promise<void>
}

export interface Line {
  readonly length: number
  readonly producers: number
  readonly batch: number
  readonly isDispatched: boolean
  readonly flushDiskType: FlushDiskType
}

export const openJava = async (directory: string, line: Line): Promise<Side> => {
  const { batch, flushDiskType, isDispatched, length, producers } = line
  const settings = { mappedFileSizeCommitLog: LOG_FILE_LENGTH, flushDiskType }
  const store = await JavaStore.open(directory, settings, length)
  let isOpen = true
  return {
    put: (first, count) => store.order(isDispatched ? "dispatch" : "put", first, count, producers, batch),
    get: (count) => store.order("get", count),
    getFields: (count) => store.order("get", count),
    query: (count, stored) => store.order("query", count, stored),
    recover: async () => {
      if (isOpen) {
        await store.order("close")
        isOpen = false
      }
      return store.order("recover")
    },
    end: async () => store.end()
  }
}

const costOf = async (run: () => Promise<unknown>): Promise<Cost> => {
  const processor = process.cpuUsage()
  const start = process.hrtime.bigint()
  await run()
  const elapsedNs = Number(process.hrtime.bigint() - start)
  const { system, user } = process.cpuUsage(processor)
  return { elapsedNs, processorNs: (system + user) * 1000 }
}

/** On a busy machine the time of the processors says more than that of the clock. */
const measured = (operations: number, { elapsedNs, processorNs }: Cost) => ({
  operations,
  elapsedNs,
  figures: { "processor us/op": processorNs / 1000 / operations }
})

export const openOurs = async (directory: string, line: Line): Promise<Side> => {
  const { batch, flushDiskType, isDispatched, length, producers } = line
  const layer = MessageStore.layer({ directory, mappedFileSizeCommitLog: LOG_FILE_LENGTH, flushDiskType })
  const open = async () => {
    const scope = Effect.runSync(Scope.make())
    const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
    return { context, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
  }
  let opened = await open()
  const timed = (run: Effect.Effect<unknown, unknown, MessageStore.MessageStore>): Promise<Cost> =>
    costOf(() => Effect.runPromise(Effect.provide(run, opened.context)))
  return {
    put: (first, count) => {
      const share = count / producers
      const shares = Array.from({ length: producers }, (_, producer) => first + producer * share)
      const run = (from: number) => load.put({ length, first: from, count: share, batch, isDispatched })
      return timed(producers === 1 ? run(first) : Effect.forEach(shares, run, { concurrency: "unbounded" }))
    },
    get: (count) => timed(load.read(count)),
    getFields: (count) => timed(load.readFields(count)),
    query: (count, stored) => timed(load.query(count, stored)),
    recover: async () => {
      await opened.close()
      fs.writeFileSync(join(directory, "abort"), "")
      return costOf(async () => {
        opened = await open()
      })
    },
    end: () => opened.close()
  }
}

export type Open = (directory: string, line: Line) => Promise<Side>

const withDirectory = async (open: Open, line: Line, run: (side: () => Side, renew: () => Promise<void>) => Bench) => {
  let directory = temporaryDirectory()
  let side = await open(directory, line)
  const end = async () => {
    await side.end()
    fs.rmSync(directory, { recursive: true, force: true })
  }
  const bench = run(
    () => side,
    async () => {
      await end()
      directory = temporaryDirectory()
      side = await open(directory, line)
    }
  )
  return { run: (count: number) => bench.run(count), close: end }
}

/** Record, properties and the entries of queue and index around a body, about. */
const AROUND_LENGTH = 160

export const openPuts = (open: Open, line: Line): Promise<Bench> =>
  withDirectory(open, line, (side, renew) => {
    let stored = 0
    return {
      run: async (count) => {
        const operations = Math.ceil(count / (line.producers * line.batch)) * line.producers * line.batch
        if (stored * (line.length + AROUND_LENGTH) > STORED_BYTES_MAX) {
          await renew()
          stored = 0
        }
        const cost = await side().put(stored, operations)
        stored += operations
        return measured(operations, cost)
      }
    }
  })

/** As many as a run reads, or this many, are stored before the first one: a smoke run has few. */
const STORED_MIN = 128

const openStored = (
  open: Open,
  order: (side: Side, count: number, stored: number) => Promise<Cost>
): Promise<Bench> => {
  const line: Line = { length: LENGTH, producers: 1, batch: 32, isDispatched: true, flushDiskType: "ASYNC_FLUSH" }
  return withDirectory(open, line, (side) => {
    let stored = 0
    return {
      run: async (count) => {
        if (stored === 0) {
          stored = count < STORED / 10 ? Math.max(STORED_MIN, count) : STORED
          await side().put(0, stored)
        }
        return measured(count, await order(side(), count, stored))
      }
    }
  })
}

/** A group whose cases are ratios to Java's, where there is Java. */
const beside = (name: string, caseOf: (open: Open) => Case, goal: string, others: Group["cases"] = {}): Group => {
  const ours = { ...caseOf(openOurs), goal }
  return absence === undefined
    ? group(`store/java/${name}`, { baseline: "java", cases: { java: caseOf(openJava), millrace: ours, ...others } })
    : group(`store/java/${name}`, { cases: { millrace: ours, ...others } })
}

/** Both stores have blocks for their files before they write them, so this has as well. */
const PLAIN_LENGTH = 32 * 1024 * 1024

/** What the device itself takes: as many bytes, written and synced as often as group commit at its best does. */
const openPlain = ({ length, producers }: Line): Bench => {
  const directory = temporaryDirectory()
  const fd = fs.openSync(join(directory, "plain"), "wx")
  fs.writeSync(fd, new Uint8Array(PLAIN_LENGTH))
  fs.fdatasyncSync(fd)
  const block = new Uint8Array(producers * (length + AROUND_LENGTH))
  let at = 0
  return {
    run: (count) => {
      for (let done = 0; done < count; done += producers) {
        fs.writeSync(fd, block, 0, block.length, at)
        fs.fdatasyncSync(fd)
        at = at + 2 * block.length > PLAIN_LENGTH ? 0 : at + block.length
      }
    },
    close: () => {
      fs.closeSync(fd)
      fs.rmSync(directory, { recursive: true })
    }
  }
}

export const puts = (name: string, line: Line, count: number, goal: string): Group => {
  const bounds = { bytes: line.length, count, smokeCount: SMOKE_COUNT }
  const isSync = line.flushDiskType === "SYNC_FLUSH"
  return beside(
    name,
    (open) => ({ ...bounds, open: () => openPuts(open, line) }),
    goal,
    isSync ? { "plain-write": { ...bounds, open: () => openPlain(line) } } : {}
  )
}

const stored = (
  name: string,
  count: number,
  goal: string,
  order: (side: Side, count: number, stored: number) => Promise<Cost>
): Group =>
  beside(name, (open) => ({ bytes: LENGTH, count, smokeCount: SMOKE_COUNT, open: () => openStored(open, order) }), goal)

export const reads = (name: string, count: number, goal: string): Group =>
  stored(name, count, goal, (side, n) => side.get(n))

export const fieldReads = (name: string, count: number, goal: string): Group =>
  stored(name, count, goal, (side, n) => side.getFields(n))

export const queries = (name: string, count: number, goal: string): Group =>
  stored(name, count, goal, (side, n, all) => side.query(n, all))

/** An operation is a record that the opening reads: both sides begin with the file that the log ends in. */
export const recoveries = (name: string, goal: string): Group => stored(name, STORED, goal, (side) => side.recover())
