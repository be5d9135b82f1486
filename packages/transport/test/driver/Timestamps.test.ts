/** Channels whose messages say when they were sent and when they were received. */
import { assert, describe, it } from "@effect/vitest"
import type { ClientPublication } from "../../src/client/ClientPublication.ts"
import { CONTINUE } from "@millrace/core/kernel/logbuffer/ControlledPoll"
import { MessagePoll, PollBatches } from "../../src/client/MessagePoll.ts"
import type { SubscriptionImages } from "../../src/client/SubscriptionImages.ts"
import * as ErrorCode from "../../src/command/ErrorCode.ts"
import { CHANNEL, HeapClient, STREAM } from "../client/HeapClient.ts"
import { HeapDriver } from "./HeapDriver.ts"
import { HeapNetwork } from "./HeapNetwork.ts"

const ENDPOINT = "aeron:udp?endpoint=10.0.0.2:40456"
const MTU_LENGTH = 1408

interface Message {
  readonly payload: ReadonlyArray<bigint>
  readonly reservedValue: bigint
}

const messagesOf = (subscription: SubscriptionImages): ReadonlyArray<Message> => {
  const messages: Array<Message> = []
  new MessagePoll(subscription, new PollBatches(16), 1024 * 1024).pollAll((bytes, offset, length, message) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset + offset, length)
    const payload = Array.from({ length: length >>> 3 }, (_, index) => view.getBigInt64(8 * index, true))
    messages.push({ payload, reservedValue: message.reservedValue })
    return CONTINUE
  }, 100)
  return messages
}

const offer = (publication: ClientPublication, length: number): void => {
  const bytes = new Uint8Array(length).fill(1)
  assert.isAbove(
    publication.offer(bytes, 0, length, () => 5n),
    0
  )
}

/** Whether it is a time of this world's, by its clock. */
const isTime = (world: HeapNetwork, value: bigint): boolean =>
  Math.abs(Number(value / 1_000_000n) - world.clock.epochMs()) < 1000

const ONES = 0x0101010101010101n

describe("a channel with timestamps", () => {
  it("has the time of sending and that of receiving in each message, where it asks for them", () => {
    const world = new HeapNetwork(1)
    const subscription = world.subscriber.addSubscription(`${ENDPOINT}|channel-rcv-ts-offset=8`)
    const publication = world.publisher.addPublication(`${ENDPOINT}|channel-snd-ts-offset=0`)
    Object.assign(world.network.faults, { delayMinNs: 3e6, delayMaxNs: 3e6 })
    world.run(100)
    offer(publication, 24)
    offer(publication, 24)
    world.run(20)
    const messages = messagesOf(subscription)
    assert.strictEqual(messages.length, 2)
    for (const { payload, reservedValue } of messages) {
      const [sent, received, rest] = payload
      assert.isTrue(isTime(world, sent!))
      assert.isAtLeast(Number(received! - sent!), 3e6)
      assert.deepStrictEqual([rest, reservedValue], [ONES, 5n])
    }
  })

  it("has the time of what is sent again from when it was sent again", () => {
    const world = new HeapNetwork(2)
    const subscription = world.subscriber.addSubscription(ENDPOINT)
    const publication = world.publisher.addPublication(`${ENDPOINT}|channel-snd-ts-offset=reserved`)
    world.run(100)
    world.network.faults.lossRate = 1
    offer(publication, 24)
    world.run(5)
    const lostMs = world.clock.epochMs()
    world.run(50)
    world.network.heal()
    world.run(300)
    const [message] = messagesOf(subscription)
    assert.isAbove(Number(message!.reservedValue / 1_000_000n), lostMs + 40)
    assert.deepStrictEqual(message!.payload, [ONES, ONES, ONES])
  })

  it("has it at the beginning of a message in fragments, and the rest as it was", () => {
    const world = new HeapNetwork(3)
    const timestamps = "channel-snd-ts-offset=0|channel-rcv-ts-offset=8"
    const subscription = world.subscriber.addSubscription(`${ENDPOINT}|${timestamps}`)
    const publication = world.publisher.addPublication(`${ENDPOINT}|${timestamps}`)
    world.run(100)
    offer(publication, 3 * MTU_LENGTH)
    world.run(20)
    const [message] = messagesOf(subscription)
    const [sent, received, ...rest] = message!.payload
    assert.isTrue(isTime(world, sent!) && isTime(world, received!))
    assert.isTrue(rest.every((value) => value === ONES))
  })

  it.each([
    ["publication", "channel-snd-ts-offset"],
    ["subscription", "channel-rcv-ts-offset"]
  ] as const)("refuses a second %s with another %s", (side, parameter) => {
    const world = new HeapNetwork(4)
    const client = side === "publication" ? world.publisher : world.subscriber
    const add = (channel: string) =>
      side === "publication" ? client.addPublication(channel) : client.addSubscription(channel)
    add(`${ENDPOINT}|${parameter}=reserved`)
    add(`${ENDPOINT}|${parameter}=-8`)
    for (const other of ["", `|${parameter}=8`, `|${parameter}=-2`]) {
      const failure = client.refusal((handlers) =>
        side === "publication"
          ? client.conductor.addPublication(`${ENDPOINT}${other}`, STREAM, false, handlers)
          : client.conductor.addSubscription(`${ENDPOINT}${other}`, STREAM, handlers)
      )
      assert(failure._tag === "Refused")
      assert.strictEqual(failure.code, ErrorCode.INVALID_CHANNEL)
      assert.include(failure.message, `option conflicts with existing ${side}: ${parameter}=`)
    }
  })

  it("over shared memory has none, as with Aeron, whatever it asks for", () => {
    const client = new HeapClient(new HeapDriver())
    const timestamps = "channel-snd-ts-offset=0|channel-rcv-ts-offset=x|media-rcv-ts-offset=8"
    const subscription = client.addSubscription(`${CHANNEL}?${timestamps}`)
    const publication = client.addPublication(`${CHANNEL}?${timestamps}`)
    client.step()
    offer(publication, 24)
    assert.deepStrictEqual(messagesOf(subscription), [{ payload: [ONES, ONES, ONES], reservedValue: 5n }])
  })
})
