import { assert, describe, it } from "@effect/vitest"
import { ManyToOneRingBuffer } from "../../src/ringbuffer/ManyToOneRingBuffer.ts"
import * as AeronFiles from "../AeronFiles.ts"

const lastCorrelationIds = { clean: 6n, java: 5n, "java-errors": 10n, "c-errors": 10n } as const

describe("the to-driver ring of real drivers", () => {
  for (const [name, nextCorrelationId] of Object.entries(lastCorrelationIds)) {
    it(`reads the positions, heartbeat and correlation counter of ${name}`, () => {
      const [header] = AeronFiles.rows<AeronFiles.HeaderRow>(`${name}-cnc.header.json`)
      const ring = new ManyToOneRingBuffer(AeronFiles.cnc(name).toDriver)
      assert.strictEqual(ring.capacity, 1024 * 1024)
      assert.strictEqual(ring.maxMessageLength, 128 * 1024)
      assert.strictEqual(ring.producerPosition, header!.ringProducerPosition)
      assert.strictEqual(ring.consumerPosition, header!.ringConsumerPosition)
      assert.strictEqual(ring.consumerHeartbeatMs, header!.heartbeatMs)
      assert.strictEqual(ring.nextCorrelationId(), nextCorrelationId)
      assert.strictEqual(ring.size, 0)
    })

    it(`goes on where ${name} stopped`, () => {
      const ring = new ManyToOneRingBuffer(AeronFiles.cnc(name).toDriver)
      const message = new TextEncoder().encode("next command")
      assert.isTrue(ring.write(1, message, 0, message.length))
      let seen = ""
      assert.strictEqual(
        ring.read((_typeId, buffer, offset, length) => {
          seen = new TextDecoder().decode(buffer.bytes.subarray(offset, offset + length))
        }),
        1
      )
      assert.strictEqual(seen, "next command")
    })
  }
})
