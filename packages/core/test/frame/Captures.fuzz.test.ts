import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { readdirSync, readFileSync } from "node:fs"
import { setImmediate } from "node:timers/promises"
import * as Capture from "../../src/Capture.ts"
import { countOr, seed } from "../Peers.ts"
import { bytesInUse } from "./Heap.ts"
import { Mutator } from "./Mutator.ts"

const FOLDER = new URL("../fixtures/captures/", import.meta.url)
const SHORT_COUNT = 2000
/** A file takes as long as this many datagrams. */
const COST = 50
const SLICE = 500
const GROWTH_MAX = 8 * 1024 * 1024

const files = (): ReadonlyArray<Uint8Array> =>
  readdirSync(FOLDER)
    .filter((name) => /\.pcap(ng)?$/.test(name))
    .map((name) => new Uint8Array(readFileSync(new URL(name, FOLDER))))

describe("mutated capture files", () => {
  it("are refused with a typed error or read to packets, and nothing of them is kept", async () => {
    const mutator = new Mutator(files(), seed)
    const count = Math.max(SHORT_COUNT, Math.floor(countOr(0) / COST))
    const counts = { read: 0, refused: 0 }
    let before = 0
    for (let index = 0; index < count; index++) {
      if (index % SLICE === 0) {
        await setImmediate()
      }
      if (index === SHORT_COUNT / 2) {
        before = await bytesInUse()
      }
      const bytes = mutator.input(index)
      try {
        const packets = Capture.decode(bytes)
        assert.isTrue(Result.isSuccess(packets) || packets.failure instanceof Capture.CaptureError)
        counts[Result.isSuccess(packets) ? "read" : "refused"]++
      } catch (thrown) {
        throw new Error(`seed ${seed}, input ${index}: ${Buffer.from(bytes).toString("hex")}`, { cause: thrown })
      }
    }
    const growth = (await bytesInUse()) - before
    console.log(`seed ${seed}: ${count} capture files, ${JSON.stringify(counts)}, heap grew by ${growth} bytes`)
    assert.isTrue(growth < GROWTH_MAX, `the heap grew by ${growth} bytes`)
    assert.isTrue(counts.read > count / 20 && counts.refused > count / 20)
  })
})
