import { assert, describe, it } from "vitest"
import * as Summary from "../../src/demo/Summary.ts"
import { plain } from "../../src/output/Style.ts"

const summary: Summary.Summary = {
  label: "flights-20k.json",
  topic: "flights",
  columns: { key: "origin", tag: "destination", measure: "delay" },
  records: 20_000,
  verified: 20_000,
  elapsedMs: 2345,
  transport: { messagesPerSecond: 123_456, bytesPerSecond: 11_111_111 },
  store: {
    messagesPerSecond: 234_567,
    bytesPerSecond: 55_555_555,
    files: 8,
    fileBytes: 34_000_000,
    logPosition: 4_484_866
  },
  queueCount: 4,
  readBack: { messagesPerSecond: 99_999, bytesPerSecond: 9_999_999 },
  groups: [
    { name: "DFW", count: 1103, mean: 9.485 },
    { name: "ORD", count: 551, mean: undefined }
  ],
  groupCount: 220,
  ungrouped: 0,
  tag: { name: "ORD", count: 1160, elapsedMs: 15 },
  memory: [
    ["this process", 145_000_000],
    ["recorder", 93_500_000]
  ],
  directory: "/tmp/my store"
}

describe("Summary", () => {
  it("tells a reader what was verified, how fast, the table with its plot, and what to type next", () => {
    const lines = Summary.toLines(summary, plain, 80)
    const text = lines.join("\n").replaceAll(/^ {4}.* store /gm, "    millrace store ")
    assert.strictEqual(
      text,
      `
✓ 20,000 of 20,000 records came back equal and in order from 4 queues

  transport    123,456 messages/s  11.1 MB/s  from first to last record
  store        234,567 messages/s  55.6 MB/s  time inside the store
  read back     99,999 messages/s  10.0 MB/s  checked against the source
  written    log position 4,484,866, 8 files, 34.0 MB on disk
  memory     this process 145 MB, recorder 93.5 MB  peak, without mapped files
  time       2.3 s

  Busiest of 220 values of origin
  origin  records  mean delay
  DFW       1,103         9.5  ████████████████████████████████████████
  ORD         551              ████████████████████

  Tag ORD alone: 1,160 records of topic flights, read in 15 ms

  What to type next
    millrace store topics '/tmp/my store'
    millrace store tail '/tmp/my store' --topic flights --count 5
    millrace store tail '/tmp/my store' --topic flights --tag ORD`
    )
  })

  it("says that a temporary store is gone, and how to keep it", () => {
    const lines = Summary.toLines({ ...summary, directory: undefined }, plain, 80)
    assert.match(lines.at(-1) ?? "", /gone\. Keep it with --dir DIR/)
  })

  it("leaves out the tag and the measure that a data set does not have, and says what was not grouped", () => {
    const columns = { key: "id", tag: undefined, measure: undefined }
    const text = Summary.toLines({ ...summary, columns, tag: undefined, ungrouped: 7 }, plain, 80).join("\n")
    assert.notMatch(text, /Tag |mean/)
    assert.include(text, "Busiest of 220 values of id; 7 records of others were not grouped")
  })

  it("gives scripts one object with the documented fields", () => {
    assert.deepStrictEqual(Summary.toJson(summary), {
      records: 20_000,
      verified: 20_000,
      transport: { messagesPerSecond: 123_456, bytesPerSecond: 11_111_111 },
      store: { messagesPerSecond: 234_567, bytesPerSecond: 55_555_555, files: 8 },
      topOrigins: [
        { origin: "DFW", count: 1103, meanDelay: 9.49 },
        { origin: "ORD", count: 551, meanDelay: null }
      ]
    })
  })
})
