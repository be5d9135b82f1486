/**
 * What a store with many queues costs: mappings against the system's limit, disk blocks, memory, and the time to open it,
 * after a clean end and after a kill.
 *
 *     node packages/benchmarks/store/manyQueues.script.ts [--queues 10000] [--messages 3] [--positional] [--directory DIR]
 */
import * as MessageStore from "@millrace/store/MessageStore"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"

const { values } = parseArgs({
  options: {
    queues: { type: "string", default: "10000" },
    messages: { type: "string", default: "3" },
    positional: { type: "boolean", default: false },
    directory: { type: "string" },
    /** The part of a process that is killed. */
    child: { type: "boolean", default: false }
  }
})
const queueCount = Number(values.queues)
const messageCount = Number(values.messages)
const directory = values.directory ?? fs.mkdtempSync(join(tmpdir(), "millrace-queues-"))
const PAGE = 4096
const MEBIBYTE = 1024 * 1024

const layer = MessageStore.layer({
  directory,
  mappedFileSizeCommitLog: 256 * MEBIBYTE,
  writeWithoutMmap: values.positional
})

const put = Effect.gen(function* () {
  const store = yield* MessageStore.MessageStore
  const body = new Uint8Array(100)
  for (let round = 0; round < messageCount; round++) {
    for (let from = 0; from < queueCount; from += 1000) {
      yield* store.putMany(
        Array.from({ length: Math.min(1000, queueCount - from) }, (_, index) => ({
          topic: `topic-${from + index}`,
          queueId: 0,
          body,
          keys: `key-${round}-${from + index}`
        }))
      )
      yield* Effect.yieldNow
    }
  }
  yield* store.flush
  yield* store.get({ topic: `topic-${queueCount - 1}`, queueId: 0, offset: messageCount - 1 })
})

const mappings = (): { readonly count: number; readonly residentBytes: number } => {
  const lines = fs.readFileSync("/proc/self/smaps", "utf8").split("\n")
  let count = 0
  let residentBytes = 0
  let isOurs = false
  for (const line of lines) {
    if (/^[0-9a-f]+-[0-9a-f]+ /.test(line)) {
      isOurs = line.includes(`${directory}/`)
      count += isOurs ? 1 : 0
    } else if (isOurs && line.startsWith("Rss:")) {
      residentBytes += Number(/\d+/.exec(line)![0]) * 1024
    }
  }
  return { count, residentBytes }
}

const blocks = (folder: string): number =>
  Number(
    spawnSync("du", ["-s", "-B1", join(directory, folder)])
      .stdout.toString()
      .split("\t")[0]
  )

const print = (what: string, value: string): void => console.log(`${what.padEnd(44)} ${value}`)
const mib = (bytes: number): string => `${(bytes / MEBIBYTE).toFixed(1)} MiB`

const timed = async (what: string, run: () => Promise<unknown>): Promise<void> => {
  const start = performance.now()
  await run()
  print(what, `${Math.round(performance.now() - start)} ms`)
}

const opened = Effect.gen(function* () {
  const store = yield* MessageStore.MessageStore
  return store.recovery
})

const report = Effect.gen(function* () {
  const { count, residentBytes } = mappings()
  const limit = Number(fs.readFileSync("/proc/sys/vm/max_map_count", "utf8"))
  const store = yield* MessageStore.MessageStore
  const { unmappedFileCount } = yield* store.status
  print("mappings of the store, and the limit", `${count} of ${limit}, ${unmappedFileCount} refused`)
  print("open descriptors", String(fs.readdirSync("/proc/self/fd").length))
  print("queue files and log resident in this process", mib(residentBytes))
  print("JavaScript heap and external", `${mib(process.memoryUsage().heapUsed)} ${mib(process.memoryUsage().external)}`)
})

/** Opens the store and closes it, and prints how long each took. */
const reopen = async (after: string): Promise<void> => {
  const start = performance.now()
  let openedAt = 0
  await Effect.runPromise(
    Effect.provide(
      Effect.tap(opened, ({ exit, recordsRead }) =>
        Effect.sync(() => {
          openedAt = performance.now()
          print(`open after ${after} (${exit})`, `${Math.round(openedAt - start)} ms, ${recordsRead} records read`)
        })
      ),
      layer
    )
  )
  print("close", `${Math.round(performance.now() - openedAt)} ms`)
}

const main = async (): Promise<void> => {
  if (values.child) {
    const kill = Effect.sync(() => process.kill(process.pid, "SIGKILL"))
    await Effect.runPromise(Effect.provide(Effect.andThen(put, kill), layer))
    return
  }
  print("queues, messages each", `${queueCount}, ${messageCount}`)
  await timed("make the queues, put, close", () =>
    Effect.runPromise(Effect.provide(Effect.andThen(put, report), layer))
  )
  const queueBytes = blocks("consumequeue")
  print("disk blocks of queues", `${mib(queueBytes)}, ${(queueBytes / queueCount / PAGE).toFixed(1)} pages each`)
  await reopen("a clean end")
  const arguments_ = ["--queues", values.queues, "--messages", "1", "--directory", directory, "--child"]
  spawnSync(process.execPath, [import.meta.filename, ...arguments_, ...(values.positional ? ["--positional"] : [])])
  await reopen("a kill")
}

try {
  await main()
} finally {
  if (values.directory === undefined) {
    fs.rmSync(directory, { recursive: true, force: true })
  }
}
