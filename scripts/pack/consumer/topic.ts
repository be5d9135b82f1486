/** A durable topic: written, closed, opened again and read. */
import { MessageStore, Topic } from "@millrace/store"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const COUNT = 1000
const Sample = Schema.Struct({ n: Schema.Finite })
const directory = mkdtempSync(join(tmpdir(), "millrace-consumer-"))
const store = MessageStore.layer({ directory })
const samples = Topic.make("samples", { schema: Sample, key: ({ n }) => String(n) })

const write = Effect.flatMap(samples, (topic) =>
  Stream.range(1, COUNT).pipe(
    Stream.map((n) => ({ n })),
    Stream.run(topic.sink)
  )
)

const read = Effect.flatMap(samples, (topic) => topic.stream({ from: "earliest", live: false }).pipe(Stream.runCollect))

try {
  await Effect.runPromise(write.pipe(Effect.provide(store)))
  const messages = await Effect.runPromise(read.pipe(Effect.provide(store)))
  console.log(`read ${new Set(messages.map(({ value }) => value.n)).size} of ${COUNT}`)
} finally {
  rmSync(directory, { recursive: true, force: true })
}
