import { assert, describe, it } from "@effect/vitest"
import type * as Inspector from "@millrace/transport/Inspector"
import * as DriverSample from "../../src/top/DriverSample.ts"

const CHANNEL = "aeron:udp?endpoint=localhost:1"

const counter = (
  id: number,
  typeId: number,
  value: bigint,
  key: Uint8Array = new Uint8Array(112)
): Inspector.Counter => ({
  id,
  typeId,
  value,
  registrationId: 0n,
  ownerId: -1n,
  referenceId: 0n,
  key,
  label: `counter ${id}`
})

const clientKey = (id: bigint): Uint8Array => {
  const key = new Uint8Array(112)
  new DataView(key.buffer).setBigInt64(0, id, true)
  return key
}

const stream = { sessionId: 5, streamId: 9, channel: CHANNEL }

const reading = (position: bigint, sent: bigint): DriverSample.DriverReading => ({
  status: { directory: "/d", pid: 1, cncVersion: "0.2.0", startMs: 0, heartbeatAgeMs: undefined },
  counters: [counter(0, 0, sent), counter(18, 0, 4n), counter(40, 11, 900n, clientKey(-3n)), counter(41, 7, 1n)],
  streams: [
    {
      ...stream,
      counters: [
        { name: "snd-bpe", typeId: 13, registrationId: 1n, value: 6n },
        { name: "snd-naks", typeId: 19, registrationId: 1n, value: 2n },
        { name: "rcv-naks-sent", typeId: 20, registrationId: 2n, value: 3n }
      ]
    }
  ],
  backlogs: [
    {
      ...stream,
      publisher: { registrationId: 1n, position, remaining: -64n },
      sender: { registrationId: 1n, position: position - 32n, backlog: 32n, window: 100n },
      receiver: { registrationId: 2n, position: position - 64n, backlog: 32n },
      subscribers: [
        { registrationId: 3n, position: position - 64n, backlog: 64n },
        { registrationId: 4n, position, backlog: -32n }
      ]
    }
  ],
  errors: [
    { count: 1, firstMs: 1, lastMs: 1, text: "old" },
    { count: 2, firstMs: 1, lastMs: 5, text: "new" }
  ],
  losses: [
    {
      sessionId: 5,
      streamId: 9,
      channel: `${CHANNEL}|and=more`,
      source: "s",
      observationCount: 1n,
      totalBytesLost: 1408n,
      firstObservationMs: 1,
      lastObservationMs: 2
    }
  ]
})

describe("DriverSample", () => {
  const first = DriverSample.of(reading(1024n, 10n), 1000, 0, undefined)
  const second = DriverSample.of(reading(3072n, 110n), 1500, 500, first)

  it("has no rates before there is a sample to compare with", () => {
    assert.isNull(first.rates)
    assert.isNull(first.streams[0]!.bytesPerSecond)
  })

  it("gives what happened since the sample before as so much a second", () => {
    assert.strictEqual(second.streams[0]!.bytesPerSecond, 4096)
    assert.deepInclude(second.rates, { bytesSent: 200, backPressureEvents: 0 })
  })

  it("counts from nothing where a stream or a driver began anew", () => {
    const again = DriverSample.of(reading(32n, 5n), 2000, 500, second)
    assert.strictEqual(again.streams[0]!.bytesPerSecond, 0)
    assert.strictEqual(again.rates!.bytesSent, 0)
  })

  it("puts together what a stream's counters, losses and subscribers say", () => {
    assert.deepStrictEqual(second.streams[0], {
      streamId: 9,
      sessionId: 5,
      channel: CHANNEL,
      position: 3072,
      bytesPerSecond: 4096,
      behindBytes: 64,
      roomBytes: 0,
      unsentBytes: 32,
      behindGapBytes: 32,
      lostBytes: 1408,
      naks: 5,
      backPressureEvents: 6,
      subscribers: [
        { registrationId: 3, position: 3008, behindBytes: 64 },
        { registrationId: 4, position: 3072, behindBytes: 0 }
      ]
    })
  })

  it("knows its clients by their heartbeats, and shows the newest errors first", () => {
    assert.deepStrictEqual(second.clients, [{ clientId: -3, heartbeatAgeMs: 600, label: "counter 40" }])
    assert.strictEqual(second.totals.backPressureEvents, 4)
    assert.deepStrictEqual(
      second.errors.map(({ text }) => text),
      ["new", "old"]
    )
    assert.deepInclude(second, { errorCount: 2, lostBytes: 1408, heartbeatAgeMs: null })
  })

  it("is JSON as it stands", () => {
    const json = JSON.stringify(second)
    assert.deepStrictEqual(JSON.parse(json), second)
  })
})
