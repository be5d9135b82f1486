/**
 * Real threads and real processes for stress tests. A peer is a file that calls `peer`; it runs on a worker over heap
 * memory or in a process of its own over a mapped file, without knowing which.
 *
 * `pnpm stress` sets how much is done and where the random numbers start; without it the short form runs.
 */
import { fork } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads"
import { HeapRegion } from "../src/memory/HeapRegion.ts"
import type { Region } from "../src/memory/Region.ts"
import * as Mapping from "../src/native/Mapping.ts"

export const seed = Number(process.env["MILLRACE_SEED"] ?? 1)

/** How many messages to pass: `short` in the normal test run. */
export const countOr = (short: number): number => Number(process.env["MILLRACE_COUNT"] ?? short)

/** A small generator (xorshift32), the same numbers for the same seed in every peer. */
export const random = (start: number): (() => number) => {
  let state = (start * 2654435761) >>> 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state
  }
}

type Memory =
  | { readonly kind: "heap"; readonly memory: SharedArrayBuffer }
  | { readonly kind: "file"; readonly path: string }

export interface SharedRegion {
  readonly region: Region
  /** Starts `file`, relative to `importMetaUrl`, on this memory. */
  start(importMetaUrl: string, file: string, data: unknown): Peer
  /** Kills the peers that still run, and takes the memory away. */
  remove(): void
}

/** Memory that peers of this mode can share. */
export const share = (mode: "workers" | "processes", length: number): SharedRegion => {
  if (mode === "workers") {
    const region = new HeapRegion("shared", length)
    return shared(region, { kind: "heap", memory: region.memory }, () => {})
  }
  const directory = mkdtempSync(join(tmpdir(), "millrace-stress-"))
  const path = join(directory, "region")
  const region = Mapping.create(path, length, { reserve: true })
  return shared(region, { kind: "file", path }, () => rmSync(directory, { recursive: true, force: true }))
}

const shared = (region: Region, memory: Memory, onRemove: () => void): SharedRegion => {
  const peers: Array<Peer> = []
  return {
    region,
    start: (importMetaUrl, file, data) => {
      const started = start(new URL(file, importMetaUrl), memory, data)
      peers.push(started)
      return started
    },
    remove: () => {
      for (const started of peers) {
        started.kill()
      }
      region.close()
      onRemove()
    }
  }
}

export interface Peer {
  /** What the peer returned; fails when it died without returning. */
  readonly result: Promise<unknown>
  readonly isRunning: () => boolean
  kill(): void
}

const start = (url: URL, memory: Memory, data: unknown): Peer => {
  let running = true
  let onResult: (value: unknown) => void
  let onDeath: (cause: Error) => void
  const result = new Promise<unknown>((resolve, reject) => {
    onResult = resolve
    onDeath = reject
  })
  // A peer that is killed on purpose has nobody waiting for its result.
  result.catch(() => {})
  const died = (how: string) => {
    running = false
    onDeath(new Error(`${url.pathname} ended with ${how}`))
  }
  const input = { memory, data }
  if (memory.kind === "heap") {
    const worker = new Worker(url, { workerData: input })
    worker.once("message", (value) => onResult(value))
    worker.once("error", (cause) => onDeath(cause as Error))
    worker.once("exit", (code) => died(`code ${code}`))
    return { result, isRunning: () => running, kill: () => void worker.terminate() }
  }
  const child = fork(fileURLToPath(url), [], { serialization: "advanced" })
  child.once("message", (value) => onResult(value))
  child.once("error", (cause) => onDeath(cause))
  // Not "exit", which may come before the last message of the peer.
  child.once("close", (code, signal) => died(signal ?? `code ${code}`))
  child.send(input)
  return { result, isRunning: () => running, kill: () => void child.kill("SIGKILL") }
}

const openMemory = (memory: Memory): Region =>
  memory.kind === "heap" ? new HeapRegion("shared", memory.memory) : Mapping.open(memory.path)

/** The body of a peer's file: gets the shared region and its data, and returns its result. */
export const peer = <Data>(run: (region: Region, data: Data) => unknown): void => {
  const go = (input: { readonly memory: Memory; readonly data: Data }) => {
    const region = openMemory(input.memory)
    const result = run(region, input.data)
    region.close()
    return result
  }
  if (!isMainThread) {
    parentPort!.postMessage(go(workerData))
    return
  }
  process.once("message", (input: { readonly memory: Memory; readonly data: Data }) => {
    process.send?.(go(input), () => process.disconnect?.())
  })
}

const cell = new Int32Array(new SharedArrayBuffer(4))

/** Gives the processor away: for a peer that waits for another, with more of them than processors. */
export const pause = (): void => {
  Atomics.wait(cell, 0, 0, 0.05)
}

/** Lets events of peers in: for loops that wait for them. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
