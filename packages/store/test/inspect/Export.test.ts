import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { assert } from "vitest"
import * as Inspect from "../../src/Inspect.ts"
import * as Golden from "../fixtures/Golden.ts"
import * as Temporary from "../fixtures/Temporary.ts"

/** The record as the real store lists it: bodies over 4,096 bytes only by their hash. */
const asGolden = (record: Inspect.ExportedRecord, golden: Golden.GoldenMessage): unknown => {
  const { body, ...rest } = record
  return golden.bodySha256 === undefined
    ? record
    : { ...rest, bodySha256: createHash("sha256").update(Buffer.from(body, "base64")).digest("hex") }
}

const isRecord = (line: Inspect.ExportLine): line is Inspect.ExportedRecord => !("summary" in line)

const byName = (a: { topic: string; queueId: number }, b: { topic: string; queueId: number }): number =>
  a.topic === b.topic ? a.queueId - b.queueId : a.topic < b.topic ? -1 : 1

describe.each(Golden.names)("export of the golden store %s", (name) => {
  const { reopened } = Golden.expected(name)

  it.effect("has the records and queues that the real store lists, and changes nothing", () =>
    Effect.gen(function* () {
      const directory = yield* Temporary.directory
      Golden.unpack(name, directory)
      const before = Temporary.contentOf(directory)
      const lines = yield* Stream.runCollect(Inspect.exported({ directory }))
      assert.deepStrictEqual(Temporary.contentOf(directory), before)
      const records = lines.filter(isRecord)
      assert.lengthOf(records, reopened.messages.length)
      records.forEach((record, index) => {
        const golden = reopened.messages[index]!
        assert.deepEqual(asGolden(record, golden), golden)
      })
      const last = lines.at(-1)!
      assert.isFalse(isRecord(last))
      const { summary } = last as Extract<Inspect.ExportLine, { readonly summary: unknown }>
      const { messageCount, minPhyOffset, maxPhyOffset } = reopened.summary
      assert.deepInclude(summary, { messageCount, minPhyOffset, maxPhyOffset })
      // 5.5.1 lists a queue that was only asked for; one without a message has no file.
      const expected = reopened.queues.filter(({ maxOffset }) => maxOffset > 0).toSorted(byName)
      assert.deepEqual(summary.queues, expected)
      assert.lengthOf(summary.queuesBeyondEnd, name.endsWith("torn") ? 1 : 0)
    })
  )
})
