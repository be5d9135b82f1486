import { assert, describe, it } from "vitest"
import * as EntryFile from "../src/EntryFile.ts"

describe("EntryFile", () => {
  it("finds the source beside a source and the built file beside a built one", () => {
    assert.strictEqual(
      EntryFile.resolve("file:///app/src/internal/driverLayer.ts", "./driverWorker").href,
      "file:///app/src/internal/driverWorker.ts"
    )
    assert.strictEqual(
      EntryFile.resolve("file:///app/dist/internal/driverLayer.js", "../workers/driver").href,
      "file:///app/dist/workers/driver.js"
    )
  })
})
