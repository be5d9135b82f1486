import { assert, describe, it } from "@effect/vitest"
import { CountersManager } from "@millrace/core/kernel/counters/CountersManager"
import { CountersReader } from "@millrace/core/kernel/counters/CountersReader"
import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import { drainedPositions } from "../../src/client/Undrained.ts"
import * as StreamCounters from "../../src/driver/StreamCounters.ts"

const VALUES_LENGTH = 16 * 1024

const setUp = () => {
  const values = new HeapRegion("values", VALUES_LENGTH)
  const metadata = new HeapRegion("metadata", 4 * VALUES_LENGTH)
  const manager = new CountersManager(metadata.buffer(), values.buffer(), () => 0)
  return { manager, reader: new CountersReader(metadata.buffer(), values.buffer()) }
}

const streamOf = (registrationId: bigint, channel: string) => ({
  clientId: 1n,
  registrationId,
  sessionId: 7,
  streamId: 1001,
  channel
})

describe("drainedPositions", () => {
  it("is that of the slowest subscriber over IPC", () => {
    const { manager, reader } = setUp()
    const publication = 5n
    StreamCounters.publisherPosition(manager, streamOf(publication, "aeron:ipc"), false, 640)
    StreamCounters.subscriberPosition(manager, streamOf(8n, "aeron:ipc"), 320, publication)
    StreamCounters.subscriberPosition(manager, streamOf(9n, "aeron:ipc"), 128, publication)
    assert.deepStrictEqual(Array.from(drainedPositions(reader)), [[publication, 128]])
  })

  it("is what was sent over UDP, whoever reads the image at the same driver", () => {
    const { manager, reader } = setUp()
    const publication = 5n
    const image = 11n
    const channel = "aeron:udp?endpoint=localhost:40123"
    StreamCounters.senderPosition(manager, streamOf(publication, channel), 448)
    StreamCounters.subscriberPosition(manager, streamOf(8n, channel), 64, image)
    assert.strictEqual(drainedPositions(reader).get(publication), 448)
  })

  it("has nothing of a publication without a subscriber", () => {
    const { manager, reader } = setUp()
    StreamCounters.publisherPosition(manager, streamOf(5n, "aeron:ipc"), true, 640)
    assert.strictEqual(drainedPositions(reader).size, 0)
  })
})
