import { assert, describe, it } from "@effect/vitest"
import type { CounterRecord } from "@millrace/core/kernel/counters/CountersReader"
import * as DriverStat from "../../src/inspect/DriverStat.ts"

const counter = (fields: Partial<CounterRecord>): CounterRecord => ({
  id: 0,
  typeId: 0,
  value: 0n,
  registrationId: 0n,
  ownerId: -1n,
  referenceId: 0n,
  key: new Uint8Array(112),
  label: "",
  ...fields
})

const clientKey = (clientId: bigint): Uint8Array => {
  const key = new Uint8Array(112)
  new DataView(key.buffer).setBigInt64(0, clientId, true)
  return key
}

describe("DriverStat", () => {
  it("finds the driver's own counts by their ids", () => {
    const totals = DriverStat.totals([
      counter({ id: 0, value: 2n ** 60n }),
      counter({ id: 18, value: 7n }),
      counter({ id: 35, value: 4096n })
    ])
    assert.deepInclude(totals, { bytesSent: 2n ** 60n, backPressureEvents: 7n, bytesMapped: 4096n })
  })

  it("counts nothing where a driver has no such counter, or another lies in its place", () => {
    assert.deepInclude(DriverStat.totals([counter({ id: 1, typeId: 4, value: 9n })]), { bytesReceived: 0n, errors: 0n })
  })

  it("knows the clients by their heartbeats", () => {
    const counters = [
      counter({ id: 50, typeId: 11, value: 1000n, key: clientKey(-5n), label: "client-heartbeat: id=-5" }),
      counter({ id: 51, typeId: 4 })
    ]
    assert.deepStrictEqual(DriverStat.clients(counters), [
      { clientId: -5n, heartbeatMs: 1000, label: "client-heartbeat: id=-5" }
    ])
  })
})
