import { assert, describe, it } from "vitest"
import { BLOCK_LENGTH, QueueDigests } from "../../src/demo/QueueDigests.ts"

const digestsOf = (records: Iterable<readonly [queueId: number, text: string]>): QueueDigests => {
  const digests = new QueueDigests()
  for (const [queueId, text] of records) {
    digests.add(queueId, text)
  }
  return digests
}

const sequence = (count: number): Array<readonly [number, string]> =>
  Array.from({ length: count }, (_, index) => [index % 2, `record ${index}`] as const)

describe("QueueDigests", () => {
  it("finds equal sequences equal however the queues interleave", () => {
    const records = sequence(5 * BLOCK_LENGTH + 7)
    const byQueue = records.toSorted(([a], [b]) => a - b)
    assert.deepStrictEqual(digestsOf(byQueue).differences(digestsOf(records)), [])
    assert.strictEqual(digestsOf(records).count, records.length)
    assert.deepStrictEqual(digestsOf(records).queueIds, [0, 1])
  })

  it("places a changed record in its queue and block", () => {
    const records = sequence(8 * BLOCK_LENGTH)
    const changed = records.map(([queueId, text], index) => [queueId, index === 3000 ? "other" : text] as const)
    assert.deepStrictEqual(digestsOf(changed).differences(digestsOf(records)), [
      "queue 0: a record from 1024 to 2047 differs or is out of order"
    ])
  })

  it("finds two records of one queue that changed places", () => {
    const records = sequence(10)
    const swapped = [...records]
    swapped[4] = records[6]!
    swapped[6] = records[4]!
    assert.deepStrictEqual(digestsOf(swapped).differences(digestsOf(records)), [
      "queue 0: a record from 0 to 4 differs or is out of order"
    ])
  })

  it("counts what is missing from a queue, and a queue that is missing", () => {
    const records = sequence(10)
    assert.deepStrictEqual(digestsOf(records.slice(0, 9)).differences(digestsOf(records)), [
      "queue 1: 4 records came back, 5 were sent"
    ])
    assert.deepStrictEqual(digestsOf([]).differences(digestsOf([[3, "a"]])), [
      "queue 3: 0 records came back, 1 were sent"
    ])
  })

  it("tells records apart whose texts join to the same", () => {
    const found = digestsOf([
      [0, "ab"],
      [0, "c"]
    ])
    assert.strictEqual(
      found.differences(
        digestsOf([
          [0, "a"],
          [0, "bc"]
        ])
      ).length,
      1
    )
  })
})
