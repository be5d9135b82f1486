import { SlabAppender } from "@millrace/core/kernel/logbuffer/SlabAppender"
import { BatchReader } from "@millrace/core/kernel/logbuffer/BatchReader"
import { ExclusiveTermAppender } from "@millrace/core/kernel/logbuffer/ExclusiveTermAppender"
import { FragmentBatch } from "@millrace/core/kernel/logbuffer/FragmentBatch"
import * as TermCleaner from "@millrace/core/kernel/logbuffer/TermCleaner"
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import * as Int64 from "@millrace/core/kernel/memory/Int64"
import type { MappedRegion } from "@millrace/core/kernel/memory/MappedRegion"
import * as Mapping from "@millrace/core/kernel/native/Mapping"
import { type Case, group, type Measurement } from "#harness/Group"
import { forkPeer } from "#harness/Peer"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { TERM_LENGTH } from "./benchLog.shared.ts"
import {
  CLEAN_LENGTH,
  createLogs,
  FILE_LENGTH,
  MESSAGE_LENGTH,
  openLogs,
  positions,
  READER_OFFSET
} from "./twoProcesses.shared.ts"

const WARM_UP = 10_000

/** Measures in a fresh file with a fresh second process, which reads `count` messages of `mode`. */
const withPeer =
  (mode: string, measure: (region: MappedRegion, count: number) => Measurement | Promise<Measurement>): Case["open"] =>
  () => {
    const directory = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "millrace-bench-"))
    const path = join(directory, "logs")
    return {
      run: async (count) => {
        const region = Mapping.create(path, FILE_LENGTH, { reserve: true })
        createLogs(region)
        const total = mode === "throughput" ? count : count + WARM_UP
        const peer = forkPeer(import.meta.url, "./twoProcesses.child.ts", [path, mode, String(total)])
        await peer.receive()
        const startNs = process.hrtime.bigint()
        const measurement = await measure(region, count)
        await peer.receive()
        const elapsedNs = Number(process.hrtime.bigint() - startNs)
        await peer.exited
        region.close()
        rmSync(path)
        return mode === "throughput" ? { operations: count, elapsedNs } : measurement
      },
      close: () => rmSync(directory, { recursive: true })
    }
  }

/** Waits until the reader is less than half a term behind. */
const awaitRoom = (position: AtomicBuffer, appender: ExclusiveTermAppender): void => {
  while (appender.position() >= Int64.loadMonotonic(position, READER_OFFSET[0]) + TERM_LENGTH / 2) {
    // The reader is at it.
  }
}

const throughput = (batchCount: number, goal?: string): Case => ({
  bytes: MESSAGE_LENGTH,
  count: 5_000_000,
  smokeCount: 10_000,
  ...(goal === undefined ? {} : { goal }),
  open: withPeer("throughput", (region, count) => {
    const appender = new ExclusiveTermAppender(openLogs(region)[0])
    const batch = new SlabAppender(appender)
    const position = positions(region)
    const source = new Uint8Array(batchCount * MESSAGE_LENGTH)
    const offsets = Int32Array.from({ length: batchCount }, (_, index) => index * MESSAGE_LENGTH)
    const lengths = new Int32Array(batchCount).fill(MESSAGE_LENGTH)
    let sent = 0
    while (sent < count) {
      awaitRoom(position, appender)
      if (batchCount === 1) {
        sent += appender.append(source, 0, MESSAGE_LENGTH) < 0 ? 0 : 1
      } else {
        batch.appendSlab(source, offsets, lengths, 0, Math.min(batchCount, count - sent))
        sent += batch.appendedCount
      }
    }
    return { operations: count, elapsedNs: 0 }
  })
})

const roundTrip: Case = {
  bytes: MESSAGE_LENGTH,
  count: 200_000,
  smokeCount: 1000,
  goal: "p50 300 ns",
  open: withPeer("echo", (region, count) => {
    const [ping, pong] = openLogs(region)
    const appender = new ExclusiveTermAppender(ping)
    const reader = new BatchReader(pong, 0)
    const batch = new FragmentBatch(8)
    const message = new Uint8Array(MESSAGE_LENGTH)
    const timesNs = new Float64Array(count)
    let cleaned = 0
    const trip = (): void => {
      while (appender.append(message, 0, MESSAGE_LENGTH) < 0) {
        // The log was rotated.
      }
      while (reader.read(batch) === 0) {
        // The answer is on its way.
      }
      if (reader.position >= cleaned + CLEAN_LENGTH) {
        cleaned = TermCleaner.clean(pong, cleaned, reader.position)
      }
    }
    for (let index = 0; index < WARM_UP; index++) {
      trip()
    }
    const startMs = performance.now()
    let lastMs = startMs
    for (let index = 0; index < count; index++) {
      trip()
      const nowMs = performance.now()
      timesNs[index] = (nowMs - lastMs) * 1e6
      lastMs = nowMs
    }
    timesNs.sort()
    return {
      operations: count,
      elapsedNs: (lastMs - startMs) * 1e6,
      figures: { "p50 ns": timesNs[Math.floor(count / 2)]!, "p99 ns": timesNs[Math.floor(count * 0.99)]! }
    }
  })
}

export default group("core/logbuffer/twoProcesses", {
  baseline: "single-32",
  cases: {
    "single-32": throughput(1),
    "batch-16-32": throughput(16),
    "batch-64-32": throughput(64, "18 million messages a second or more"),
    "round-trip-32": roundTrip
  }
})
