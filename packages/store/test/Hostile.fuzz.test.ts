/**
 * Stores with files that somebody has broken or made up: whatever they say, every command answers or refuses with a typed
 * error. They are met by a process of their own, so that a signal, an endless loop or a memory without end is found too.
 * `pnpm fuzz` tries 10,000.
 */
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { assert } from "vitest"
import { open, SMALL, bodyOf } from "./fixtures/CrashStore.ts"
import * as Golden from "./fixtures/Golden.ts"
import * as Temporary from "./fixtures/Temporary.ts"

const SHORT = 15
const STORES_MAX = 10_000
const STORES = Math.min(STORES_MAX, Number(process.env["MILLRACE_COUNT"] ?? SHORT))
const SEED = Number(process.env["MILLRACE_SEED"] ?? 1)
/** More of the processor than any command takes with a store of this size, however busy the machine is. */
const PROCESSOR_MAX_MS = 30_000
/** So long no process waits for the processor. */
const SILENCE_MAX_MS = 600_000
const MS_PER_TICK = 10
/** Of memory of its own, which the pages of mapped files are not: those of a file of two gigabytes go when they are needed. */
const MEMORY_MAX_MIB = 768
const HEAP_MAX_MIB = 512
const LOOK_MS = 100

const GOLDENS = ["4.9.8-short-torn", "5.3.3-short-aborted", "5.5.1-short-aborted", "5.5.1-full-clean"]

/** Stores of ours: one that was closed, and one as a killed process leaves it. */
const makeOwn = (parent: string) =>
  Effect.gen(function* () {
    const directory = join(parent, "ours-closed")
    const fill = Effect.gen(function* () {
      const store = yield* open({ ...SMALL, directory }, 0)
      for (let count = 0; count < 150; count++) {
        const topic = count % 3 === 0 ? "crash" : "other"
        yield* store.put({
          topic,
          queueId: count % 2,
          body: Buffer.from(bodyOf(`${count}`)),
          keys: `k${count}`,
          tags: "t"
        })
      }
      yield* store.setQueueCount("crash", 2)
      yield* store.flush
      fs.cpSync(directory, join(parent, "ours-killed"), { recursive: true })
    })
    yield* Effect.scoped(fill)
  })

/** Memory of its own that a process has now; 0 where the system does not say. */
const memoryOf = (pid: number): number => {
  try {
    return Number(/^RssAnon:\s+(\d+) kB$/m.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

/** Time of the processor that a process has had; 0 where the system does not say. */
const processorMsOf = (pid: number): number => {
  try {
    const fields = fs
      .readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ")
    // In user mode and in the kernel: fields 14 and 15 of the whole line, which has two before these.
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK
  } catch {
    return 0
  }
}

interface Findings {
  readonly failures: Array<string>
  /** How often each command answered, and refused. */
  readonly outcomes: Map<string, number>
  memoryMaxMib: number
}

/** Has one process meet the stores of these seeds. Resolves with the seed that it did not end, or `end`. */
const meet = (originals: string, work: string, first: number, end: number, findings: Findings) =>
  Effect.callback<number>((resume) => {
    const { failures, outcomes } = findings
    const fail = (failure: string): void => {
      process.stdout.write(`${failure}\n`)
      failures.push(failure)
    }
    const script = join(import.meta.dirname, "fixtures", "hostileReader.ts")
    const args = [`--max-old-space-size=${HEAP_MAX_MIB}`, script, originals, work, String(first), String(end)]
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] })
    let errors = ""
    let seed = first
    let changes = ""
    let command = ""
    let isStopped = false
    let isDone = false
    const kill = () => child.kill("SIGKILL")
    let silence = setTimeout(kill, SILENCE_MAX_MS)
    let processorAtLine = 0
    const stop = (why: string): void => {
      isStopped = true
      fail(`seed ${seed}: ${why} at ${command}; ${changes}`)
      kill()
    }
    const watch = setInterval(() => {
      const memoryMib = memoryOf(child.pid!)
      findings.memoryMaxMib = Math.max(findings.memoryMaxMib, memoryMib)
      if (memoryMib > MEMORY_MAX_MIB && !isStopped) {
        stop(`${Math.round(memoryMib)} MiB of memory`)
      } else if (processorMsOf(child.pid!) - processorAtLine > PROCESSOR_MAX_MS && !isStopped) {
        stop("no end")
      }
    }, LOOK_MS)
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors = (errors + text).slice(-4000)
    })
    createInterface({ input: child.stdout }).on("line", (line) => {
      clearTimeout(silence)
      silence = setTimeout(kill, SILENCE_MAX_MS)
      processorAtLine = processorMsOf(child.pid!)
      const [word] = line.split(" ", 1)
      if (word === "seed") {
        seed = Number(line.slice(5))
        isDone = false
      } else if (word === "at") {
        command = line.slice(3)
      } else if (word === "changes") {
        changes = line.slice(8)
      } else if (word === "ended") {
        isDone = true
        if (seed % 1000 === 0) {
          process.stdout.write(`up to seed ${seed}\n`)
        }
        const met = JSON.parse(line.slice(line.indexOf("{"))) as {
          readonly outcomes: ReadonlyArray<string>
        }
        for (const outcome of met.outcomes) {
          if (outcome.includes("DEFECT")) {
            fail(`seed ${seed}: ${outcome}; ${changes}`)
          }
          const name = outcome.split(" DEFECT")[0]!
          outcomes.set(name, (outcomes.get(name) ?? 0) + 1)
        }
      }
    })
    child.once("close", (code, signal) => {
      clearTimeout(silence)
      clearInterval(watch)
      if (!isStopped && (code !== 0 || !isDone)) {
        fail(`seed ${seed}: ended with ${code ?? signal} at ${command}, ${errors}; ${changes}`)
      }
      resume(Effect.succeed(seed + 1))
    })
    return Effect.sync(kill)
  })

describe("a store with files that somebody else made", () => {
  it.live(
    "is opened, read, checked and repaired, or refused with a typed error",
    () =>
      Effect.gen(function* () {
        const root = yield* Temporary.directory
        const [originals, work] = [join(root, "originals"), join(root, "work")]
        fs.mkdirSync(work)
        for (const name of GOLDENS) {
          Golden.unpack(name, join(originals, name))
        }
        yield* makeOwn(originals)
        const findings: Findings = { failures: [], outcomes: new Map(), memoryMaxMib: 0 }
        const { failures, outcomes } = findings
        for (let seed = SEED; seed < SEED + STORES;) {
          seed = yield* meet(originals, work, seed, SEED + STORES, findings)
        }
        const counts = [...outcomes].map(([name, count]) => `${name} ${count}`).toSorted()
        const memory = `${Math.round(findings.memoryMaxMib)} MiB of memory at most`
        process.stdout.write(`${STORES} stores from seed ${SEED}, ${memory}: ${counts.join(", ")}\n`)
        assert.deepStrictEqual(failures, [])
        if (STORES >= SHORT) {
          // A replay of a few may meet one kind alone.
          assert.isAbove(outcomes.get("open answered") ?? 0, 0)
          assert.isAbove(outcomes.get("open refused") ?? 0, 0)
        }
      }),
    STORES === SHORT ? 120_000 : 0
  )
})
