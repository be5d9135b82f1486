import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as path from "node:path"
import * as Millrace from "../support/Millrace.ts"
import { jsonLines, run, start } from "../support/StoreCommand.ts"

const LONG = 120_000

const putLine = (id: number): string =>
  `${JSON.stringify({ id, topic: "trades", queueId: id % 3, text: `body ${id}`, keys: `key${id}` })}\n`

/** A process that imports what it is given, into a new store. */
const importer = (flush: "sync" | "async") =>
  Effect.gen(function* () {
    const temporary = yield* Millrace.directory
    const directory = path.join(temporary, "store")
    const sizes = [
      "--config",
      "mappedFileSizeCommitLog=65536",
      "--config",
      "maxHashSlotNum=100",
      "--config",
      "maxIndexNum=400"
    ]
    const args = ["store", "import", directory, "--flush", flush, ...sizes]
    const running = yield* Millrace.start(args, { temporary, stdin: null })
    const send = (from: number, count: number) =>
      Effect.callback<void>((resume) => {
        const text = Array.from({ length: count }, (_, index) => putLine(from + index)).join("")
        running.process.stdin!.write(text, () => resume(Effect.void))
      })
    return { directory, running, send }
  })

/** Results of whole lines: the last one may have been cut by the kill. */
const resultsOf = (stdout: string): ReadonlyArray<{ readonly id: number; readonly position: number }> =>
  jsonLines({ code: 0, stderr: "", stdout: stdout.slice(0, stdout.lastIndexOf("\n") + 1) })

describe("millrace store, in processes", { timeout: LONG }, () => {
  for (const flush of ["sync", "async"] as const) {
    it.live(`keeps what an import has acknowledged that is killed in the middle (${flush})`, () =>
      Effect.gen(function* () {
        const { directory, running, send } = yield* importer(flush)
        const sending = yield* Effect.forkChild(
          Effect.forEach(
            Array.from({ length: 100 }, (_, index) => index * 100),
            (from) => send(from, 100),
            {
              discard: true
            }
          )
        )
        yield* running.says('"id":250,')
        yield* running.kill("SIGKILL")
        const { signal, stdout } = yield* running.ended
        yield* Fiber.interrupt(sending)
        assert.strictEqual(signal, "SIGKILL")
        const acknowledged = resultsOf(stdout)
        assert.isAtLeast(acknowledged.length, 250)
        const [report] = jsonLines(yield* run("open", directory, "--json"))
        assert.strictEqual(report.exit, "crash")
        const records = jsonLines(yield* run("export", directory, "--json")).slice(0, -1)
        const positions = new Map(records.map(({ keys, physicalOffset }) => [keys, physicalOffset]))
        for (const { id, position } of acknowledged) {
          assert.strictEqual(positions.get(`key${id}`), position)
        }
        assert.strictEqual(positions.size, records.length, "each is there once")
        assert.deepInclude(yield* run("verify", directory), { code: 0 })
      }).pipe(Effect.scoped)
    )
  }

  it.live("reads beside a process that writes, refuses to write beside it, and follows what comes", () =>
    Effect.gen(function* () {
      const { directory, running, send } = yield* importer("async")
      yield* send(0, 300)
      yield* running.says('"id":299,')
      const [got] = jsonLines(
        yield* run("get", directory, "--topic", "trades", "--queue", "2", "--offset", "90", "--json")
      )
      assert.deepInclude(got, { status: "FOUND", maxOffset: 100 })
      assert.lengthOf(jsonLines(yield* run("query", directory, "--topic", "trades", "--key", "key298", "--json")), 1)
      const told = jsonLines(yield* run("stat", directory, "--json"))[0]
      assert.deepInclude(told, { isOpen: true, pid: running.pid })
      assert.deepInclude(told.writer, { pid: running.pid, isWriteable: true })
      assert.match((yield* run("stat", directory)).stdout, /^writer +takes messages; 0 refused, 0 waiting readers$/m)
      assert.deepInclude(jsonLines(yield* run("verify", directory, "--json"))[0], { records: 300, findingCount: 0 })
      const put = yield* run("put", directory, "body", "--topic", "trades")
      assert.strictEqual(put.code, 1)
      assert.include(put.stderr, `is open in process ${running.pid}`)
      const following = yield* start("tail", directory, "--follow", "--count", "1", "--json")
      yield* following.says('"key299"')
      yield* send(300, 1)
      yield* following.says('"key300"')
      running.process.stdin!.end()
      assert.strictEqual((yield* running.ended).code, 0)
      assert.deepInclude(jsonLines(yield* run("stat", directory, "--json"))[0], { isOpen: false, messages: 301 })
    }).pipe(Effect.scoped)
  )
})
