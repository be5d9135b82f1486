import { assert, describe, it } from "@effect/vitest"
import type { CounterRecord } from "@millrace/core/kernel/counters/CountersReader"
import * as StreamCounters from "../../src/driver/StreamCounters.ts"
import * as BacklogStat from "../../src/inspect/BacklogStat.ts"
import * as DriverStat from "../../src/inspect/DriverStat.ts"
import * as StreamStat from "../../src/inspect/StreamStat.ts"

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

describe("the streams of a driver", () => {
  const streamKey = (registrationId: bigint, channel: string): Uint8Array => {
    const key = new Uint8Array(112)
    const view = new DataView(key.buffer)
    view.setBigInt64(0, registrationId, true)
    view.setInt32(8, 7, true)
    view.setInt32(12, 1001, true)
    view.setInt32(16, channel.length, true)
    key.set(new TextEncoder().encode(channel), 20)
    return key
  }
  const position = (typeId: number, value: bigint, label = "") =>
    counter({ typeId, value, label, key: streamKey(5n, "aeron:ipc") })

  it("are named by their labels up to the colon, or by all of a label without one", () => {
    const { PUBLISHER_LIMIT_TYPE_ID, SENDER_LIMIT_TYPE_ID } = StreamCounters
    const [row] = StreamStat.collect([
      position(PUBLISHER_LIMIT_TYPE_ID, 64n, "pub-lmt: 5 7 1001 aeron:ipc"),
      position(SENDER_LIMIT_TYPE_ID, 64n, "of another driver")
    ])
    assert.deepStrictEqual(
      row?.counters.map(({ name }) => name),
      ["pub-lmt", "of another driver"]
    )
  })

  it("have no backlog where nothing says how much there is", () => {
    const { SENDER_LIMIT_TYPE_ID, SENDER_POSITION_TYPE_ID, SUBSCRIBER_POSITION_TYPE_ID } = StreamCounters
    const rows = StreamStat.collect([
      position(SUBSCRIBER_POSITION_TYPE_ID, 128n),
      position(SENDER_POSITION_TYPE_ID, 64n),
      position(SENDER_LIMIT_TYPE_ID, 192n)
    ])
    const [row] = BacklogStat.collect(rows)
    assert.deepInclude(row, {
      publisher: undefined,
      receiver: undefined,
      sender: { registrationId: 5n, position: 64n, backlog: 0n, window: 128n },
      subscribers: [{ registrationId: 5n, position: 128n, backlog: 0n }]
    })
  })
})
