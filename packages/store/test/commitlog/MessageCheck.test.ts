import { assert, describe, it } from "vitest"
import * as HostAddress from "../../src/commitlog/HostAddress.ts"
import * as MessageCheck from "../../src/commitlog/MessageCheck.ts"
import type { MessageInput } from "../../src/commitlog/MessageInput.ts"
import * as RecordDescriptor from "../../src/commitlog/RecordDescriptor.ts"
import { RecordEncoder } from "../../src/commitlog/RecordEncoder.ts"
import * as Utf8 from "../../src/commitlog/Utf8.ts"

const BODY_LENGTH_MAX = 1 << 20
const CRC_LENGTH = RecordDescriptor.CRC_PROPERTY_LENGTH + 1

/** Length of the properties as the encoder writes them. */
const propertiesLength = (message: MessageInput): number => {
  const host = HostAddress.parse("127.0.0.1:1")!
  const encoder = new RecordEncoder({ appendCrcProperty: true, defaultBornHost: host, defaultStoreHost: host })
  const topic = Utf8.encode(message.topic)
  const length = encoder.encode(0, message, topic, 0)
  return length - RecordDescriptor.RECORD_LENGTH_MIN - topic.length - message.body.length
}

describe("MessageCheck", () => {
  it("counts all properties that the encoder writes, up to the last byte that their length can say", () => {
    const body = new Uint8Array()
    const forms: ReadonlyArray<Partial<MessageInput>> = [
      {},
      { keys: "k" },
      { keys: ["k", "l"], tags: "t" },
      { wait: false },
      { keys: "k", tags: "t", wait: false },
      { wait: false, properties: { WAIT: "true" } }
    ]
    for (const form of forms) {
      let longest = 0
      for (let length = 32_600; length < 32_800; length++) {
        const message = {
          topic: "topic",
          body,
          ...form,
          properties: { ...form.properties, long: "x".repeat(length) }
        }
        if (MessageCheck.check(message, BODY_LENGTH_MAX, CRC_LENGTH) === MessageCheck.OK) {
          longest = propertiesLength(message)
        }
      }
      assert.isAtMost(longest, RecordDescriptor.PROPERTIES_LENGTH_MAX)
      assert.isAtLeast(longest, RecordDescriptor.PROPERTIES_LENGTH_MAX - 32)
    }
  })
})
