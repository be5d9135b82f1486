/** Each message of the control protocol against the byte offsets that Aeron's clients and drivers use. */
import { assert, describe, it } from "@effect/vitest"
import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import * as CorrelatedMessage from "../../src/command/CorrelatedMessage.ts"
import * as CounterMessage from "../../src/command/CounterMessage.ts"
import * as CounterUpdate from "../../src/command/CounterUpdate.ts"
import * as DestinationByIdMessage from "../../src/command/DestinationByIdMessage.ts"
import * as DestinationMessage from "../../src/command/DestinationMessage.ts"
import * as ErrorCode from "../../src/command/ErrorCode.ts"
import * as ErrorResponse from "../../src/command/ErrorResponse.ts"
import * as ImageBuffersReady from "../../src/command/ImageBuffersReady.ts"
import * as ImageMessage from "../../src/command/ImageMessage.ts"
import * as LengthPrefixed from "../../src/command/LengthPrefixed.ts"
import { MalformedMessage } from "../../src/command/MalformedMessage.ts"
import * as NextSessionId from "../../src/command/NextSessionId.ts"
import * as NextSessionIdMessage from "../../src/command/NextSessionIdMessage.ts"
import * as OperationSucceeded from "../../src/command/OperationSucceeded.ts"
import * as PublicationBuffersReady from "../../src/command/PublicationBuffersReady.ts"
import * as PublicationError from "../../src/command/PublicationError.ts"
import * as PublicationMessage from "../../src/command/PublicationMessage.ts"
import * as RejectImage from "../../src/command/RejectImage.ts"
import * as RemoveMessage from "../../src/command/RemoveMessage.ts"
import * as RemovePublication from "../../src/command/RemovePublication.ts"
import * as StaticCounterMessage from "../../src/command/StaticCounterMessage.ts"
import * as SubscriptionMessage from "../../src/command/SubscriptionMessage.ts"
import * as TerminateDriver from "../../src/command/TerminateDriver.ts"

const OFFSET = 24
const buffer = () => new HeapRegion("message", 1024).buffer()
const head = { clientId: 11n, correlationId: 22n }
const key = Uint8Array.of(1, 2, 3, 4, 5)

type Field = readonly [kind: "i16" | "u16" | "i32" | "i64" | "text", offset: number, value: number | bigint | string]

interface Case {
  readonly name: string
  readonly message: unknown
  readonly encode: (target: ReturnType<typeof buffer>, offset: number, message: never) => number
  readonly decode: (source: ReturnType<typeof buffer>, offset: number, length: number) => unknown
  readonly length: number
  readonly fields: ReadonlyArray<Field>
}

const cases: ReadonlyArray<Case> = [
  { name: "client command", message: head, ...CorrelatedMessage, length: 16, fields: [] },
  {
    name: "ADD_PUBLICATION",
    message: { ...head, streamId: 1001, channel: "aeron:ipc" },
    ...PublicationMessage,
    length: 33,
    fields: [
      ["i32", 16, 1001],
      ["i32", 20, 9],
      ["text", 24, "aeron:ipc"]
    ]
  },
  {
    name: "REMOVE_PUBLICATION",
    message: { ...head, registrationId: 33n, revoke: true },
    ...RemovePublication,
    length: 32,
    fields: [
      ["i64", 16, 33n],
      ["i64", 24, 1n]
    ]
  },
  {
    name: "ADD_SUBSCRIPTION",
    message: { ...head, streamId: -2, channel: "aeron:ipc" },
    ...SubscriptionMessage,
    length: 41,
    fields: [
      ["i64", 16, -1n],
      ["i32", 24, -2],
      ["i32", 28, 9],
      ["text", 32, "aeron:ipc"]
    ]
  },
  {
    name: "REMOVE_SUBSCRIPTION",
    message: { ...head, registrationId: 33n },
    ...RemoveMessage,
    length: 24,
    fields: [["i64", 16, 33n]]
  },
  {
    name: "ADD_DESTINATION",
    message: { ...head, registrationId: 33n, channel: "aeron:udp" },
    ...DestinationMessage,
    length: 37,
    fields: [
      ["i64", 16, 33n],
      ["i32", 24, 9],
      ["text", 28, "aeron:udp"]
    ]
  },
  {
    name: "REMOVE_DESTINATION_BY_ID",
    message: { ...head, resourceRegistrationId: 33n, destinationRegistrationId: 44n },
    ...DestinationByIdMessage,
    length: 32,
    fields: [
      ["i64", 16, 33n],
      ["i64", 24, 44n]
    ]
  },
  {
    name: "ADD_COUNTER",
    message: { ...head, typeId: 1007, key, label: "abc" },
    ...CounterMessage,
    length: 39,
    fields: [
      ["i32", 16, 1007],
      ["i32", 20, 5],
      ["i32", 32, 3],
      ["text", 36, "abc"]
    ]
  },
  {
    name: "ADD_STATIC_COUNTER",
    message: { ...head, registrationId: 33n, typeId: 1007, key, label: "abc" },
    ...StaticCounterMessage,
    length: 47,
    fields: [
      ["i64", 16, 33n],
      ["i32", 24, 1007],
      ["i32", 28, 5],
      ["i32", 40, 3],
      ["text", 44, "abc"]
    ]
  },
  {
    name: "TERMINATE_DRIVER",
    message: { ...head, token: key },
    ...TerminateDriver,
    length: 25,
    fields: [["i32", 16, 5]]
  },
  {
    name: "REJECT_IMAGE",
    message: { ...head, imageCorrelationId: 55n, position: 2 ** 40, reason: "no" },
    ...RejectImage,
    length: 38,
    fields: [
      ["i64", 16, 55n],
      ["i64", 24, 2n ** 40n],
      ["i32", 32, 2],
      ["text", 36, "no"]
    ]
  },
  {
    name: "GET_NEXT_AVAILABLE_SESSION_ID",
    message: { ...head, streamId: 9 },
    ...NextSessionIdMessage,
    length: 20,
    fields: [["i32", 16, 9]]
  },
  {
    name: "ON_ERROR",
    message: { offendingCorrelationId: 22n, code: 11, message: "bad" },
    ...ErrorResponse,
    length: 19,
    fields: [
      ["i64", 0, 22n],
      ["i32", 8, 11],
      ["i32", 12, 3],
      ["text", 16, "bad"]
    ]
  },
  {
    name: "ON_AVAILABLE_IMAGE",
    message: {
      correlationId: 22n,
      sessionId: -7,
      streamId: 1001,
      subscriptionRegistrationId: 33n,
      subscriberPositionId: 44,
      logFile: "/l/1.logbuffer",
      sourceIdentity: "aeron:ipc"
    },
    ...ImageBuffersReady,
    length: 61,
    fields: [
      ["i64", 0, 22n],
      ["i32", 8, -7],
      ["i32", 12, 1001],
      ["i64", 16, 33n],
      ["i32", 24, 44],
      ["i32", 28, 14],
      ["text", 32, "/l/1.logbuffer"],
      ["i32", 48, 9],
      ["text", 52, "aeron:ipc"]
    ]
  },
  {
    name: "ON_PUBLICATION_READY",
    message: {
      correlationId: 22n,
      registrationId: 21n,
      sessionId: 7,
      streamId: 1001,
      publisherLimitId: 5,
      channelStatusId: -1,
      logFile: "/l/1.logbuffer"
    },
    ...PublicationBuffersReady,
    length: 50,
    fields: [
      ["i64", 0, 22n],
      ["i64", 8, 21n],
      ["i32", 16, 7],
      ["i32", 20, 1001],
      ["i32", 24, 5],
      ["i32", 28, -1],
      ["i32", 32, 14],
      ["text", 36, "/l/1.logbuffer"]
    ]
  },
  { name: "ON_OPERATION_SUCCESS", message: 22n, ...OperationSucceeded, length: 8, fields: [["i64", 0, 22n]] },
  {
    name: "ON_UNAVAILABLE_IMAGE",
    message: { correlationId: 22n, subscriptionRegistrationId: 33n, streamId: 1001, channel: "aeron:ipc" },
    ...ImageMessage,
    length: 33,
    fields: [
      ["i64", 0, 22n],
      ["i64", 8, 33n],
      ["i32", 16, 1001],
      ["i32", 20, 9],
      ["text", 24, "aeron:ipc"]
    ]
  },
  {
    name: "ON_SUBSCRIPTION_READY",
    message: { correlationId: 22n, counterId: -1 },
    ...CounterUpdate,
    length: 12,
    fields: [
      ["i64", 0, 22n],
      ["i32", 8, -1]
    ]
  },
  {
    name: "ON_NEXT_AVAILABLE_SESSION_ID",
    message: { correlationId: 22n, sessionId: -9 },
    ...NextSessionId,
    length: 12,
    fields: [
      ["i64", 0, 22n],
      ["i32", 8, -9]
    ]
  },
  {
    name: "ON_PUBLICATION_ERROR",
    message: {
      registrationId: 21n,
      destinationRegistrationId: -1n,
      sessionId: 7,
      streamId: 1001,
      receiverId: 66n,
      groupTag: -1n,
      address: Uint8Array.of(127, 0, 0, 1),
      port: 40_456,
      code: 13,
      message: "no"
    },
    ...PublicationError,
    length: 70,
    fields: [
      ["i64", 0, 21n],
      ["i64", 8, -1n],
      ["i32", 16, 7],
      ["i32", 20, 1001],
      ["i64", 24, 66n],
      ["i64", 32, -1n],
      ["i16", 40, 1],
      ["u16", 42, 40_456],
      ["i32", 60, 13],
      ["i32", 64, 2],
      ["text", 68, "no"]
    ]
  }
]

const decoder = new TextDecoder()

const fieldAt = (source: ReturnType<typeof buffer>, [kind, offset, value]: Field): number | bigint | string => {
  const at = OFFSET + offset
  switch (kind) {
    case "i16":
      return source.view.getInt16(at, true)
    case "u16":
      return source.view.getUint16(at, true)
    case "i32":
      return source.view.getInt32(at, true)
    case "i64":
      return source.view.getBigInt64(at, true)
    case "text":
      return decoder.decode(source.bytes.slice(at, at + String(value).length))
  }
}

describe("control protocol", () => {
  it.each(cases)("$name has its fields where Aeron has them", ({ encode, fields, length, message }) => {
    const target = buffer()
    assert.strictEqual(encode(target, OFFSET, message as never), length)
    for (const field of fields) {
      assert.strictEqual(fieldAt(target, field), field[2], `${field[0]} at ${field[1]}`)
    }
  })

  it.each(cases)("$name decodes to what was encoded", ({ decode, encode, message }) => {
    const target = buffer()
    const length = encode(target, OFFSET, message as never)
    assert.deepStrictEqual(decode(target, OFFSET, length), message)
  })

  it.each(cases)("$name is refused when its record is one byte short", ({ decode, encode, message, name }) => {
    const target = buffer()
    const length = encode(target, OFFSET, message as never)
    // The flags of a REMOVE_PUBLICATION are optional: a shorter one is that of an older client.
    const short = name === "REMOVE_PUBLICATION" ? 23 : length - 1
    assert.throws(() => decode(target, OFFSET, short), MalformedMessage)
  })

  it("reads no flags out of a REMOVE_PUBLICATION that ends before them", () => {
    const target = buffer()
    RemovePublication.encode(target, OFFSET, { ...head, registrationId: 33n, revoke: true })
    assert.isFalse(RemovePublication.decode(target, OFFSET, 24).revoke)
  })

  it("refuses a length field that is negative or reaches outside its record", () => {
    const target = buffer()
    const length = PublicationMessage.encode(target, OFFSET, { ...head, streamId: 1, channel: "aeron:ipc" })
    for (const wrong of [-1, 10, 2 ** 31 - 1]) {
      target.view.setInt32(OFFSET + 20, wrong, true)
      assert.throws(() => PublicationMessage.decode(target, OFFSET, length), MalformedMessage)
    }
  })

  it("refuses a length field that begins behind the end of its message", () => {
    assert.throws(() => LengthPrefixed.getBytes(buffer(), OFFSET, OFFSET + 3, "PUBLICATION"), MalformedMessage)
  })

  it("names error codes, and one that no driver has by its number", () => {
    assert.strictEqual(ErrorCode.name(ErrorCode.STORAGE_SPACE), "STORAGE_SPACE")
    assert.strictEqual(ErrorCode.name(99), "UNKNOWN_CODE_VALUE(99)")
  })

  it("carries addresses of IPv6", () => {
    const target = buffer()
    const address = Uint8Array.from({ length: 16 }, (_, index) => index)
    const error = { ...(cases.at(-1)!.message as PublicationError.PublicationError), address }
    const length = PublicationError.encode(target, OFFSET, error)
    assert.strictEqual(target.view.getInt16(OFFSET + 40, true), 2)
    assert.deepStrictEqual(PublicationError.decode(target, OFFSET, length), error)
  })
})
