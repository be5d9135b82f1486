import { assert, describe, it } from "@effect/vitest"
import * as History from "../../src/top/History.ts"
import { both, driver, store, stream, TIME_MS, topic } from "./samples.ts"

describe("History", () => {
  it("keeps the last rates of each stream and topic, the newest last", () => {
    let history = History.empty
    for (let rate = 0; rate < History.LENGTH_MAX + 5; rate++) {
      const sample = { timeMs: TIME_MS, driver: driver({ streams: [stream({ bytesPerSecond: rate })] }), store: null }
      history = History.next(history, sample)
    }
    const line = history.get(History.streamKey(stream({})))!
    assert.lengthOf(line, History.LENGTH_MAX)
    assert.strictEqual(line.at(-1), History.LENGTH_MAX + 4)
  })

  it("adds nothing for a sample without rates", () => {
    const sample = {
      ...both,
      driver: driver({ rates: null }),
      store: store({ topics: [topic({ messagesPerSecond: null })] })
    }
    const history = History.next(History.empty, sample)
    assert.deepStrictEqual(history.get(History.SENT), [])
    assert.deepStrictEqual(history.get(History.topicKey("trades")), [])
  })

  it("forgets what is gone", () => {
    const history = History.next(History.next(History.empty, both), { timeMs: 1, driver: null, store: null })
    assert.strictEqual(history.size, 0)
  })
})
