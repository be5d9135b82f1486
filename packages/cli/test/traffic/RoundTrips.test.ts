import { assert, describe, it } from "@effect/vitest"
import * as RoundTrips from "../../src/traffic/RoundTrips.ts"

describe("RoundTrips", () => {
  it("gives the smallest time that a share of all does not exceed", () => {
    const times = Float64Array.from({ length: 1000 }, (_, index) => index + 1)
    assert.strictEqual(RoundTrips.percentile(times, 0.5), 500)
    assert.strictEqual(RoundTrips.percentile(times, 0.99), 990)
    assert.strictEqual(RoundTrips.percentile(times, 0.999), 999)
    assert.strictEqual(RoundTrips.percentile(Float64Array.of(7), 0.999), 7)
  })
})
