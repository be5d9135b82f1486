/** Channels of one place, kept apart by their tags or brought together. What is said of them here, Java's driver does. */
import { assert, describe, it } from "@effect/vitest"
import * as ErrorCode from "../../src/command/ErrorCode.ts"
import { type HeapClient, STREAM } from "../client/HeapClient.ts"
import { HeapNetwork } from "./HeapNetwork.ts"

const ENDPOINT = "aeron:udp?endpoint=10.0.0.2:40456"

const endpointsOf = ({ counters }: HeapNetwork["sender"]): number => {
  let count = 0
  counters.forEach(({ label }) => (count += /^(snd|rcv)-channel: /.test(label) ? 1 : 0))
  return count
}

const refusal = (client: HeapClient, channel: string) => {
  const failure = client.refusal((handlers) => client.conductor.addSubscription(channel, STREAM, handlers))
  assert(failure._tag === "Refused")
  return failure
}

describe("channels of one place", () => {
  it("send by an endpoint each where they have two tags, and are two publications", () => {
    const world = new HeapNetwork(30)
    const one = world.publisher.addPublication(`${ENDPOINT}|tags=1`)
    const two = world.publisher.addPublication(`${ENDPOINT}|tags=2`)
    assert.notStrictEqual(two.sessionId, one.sessionId)
    assert.strictEqual(endpointsOf(world.sender), 2)
    const subscription = world.subscriber.addSubscription(ENDPOINT)
    world.run(300)
    assert.strictEqual(subscription.current.length, 2)
  })

  it("receive by one socket: it is taken for who comes with another tag", () => {
    const world = new HeapNetwork(31)
    world.subscriber.addSubscription(`${ENDPOINT}|tags=1`)
    const failure = refusal(world.subscriber, `${ENDPOINT}|tags=2|reliable=false`)
    assert.strictEqual(failure.code, ErrorCode.GENERIC_ERROR)
    assert.include(failure.message, "in use")
    assert.strictEqual(endpointsOf(world.receiver), 1)
  })

  it.each([
    ["|tags=1", "|tags=1"],
    ["|tags=1", ""],
    ["", "|tags=1"]
  ])("share their endpoint where they are %j and %j", (first, second) => {
    const world = new HeapNetwork(32)
    const one = world.publisher.addPublication(`${ENDPOINT}${first}`)
    const two = world.publisher.addPublication(`${ENDPOINT}${second}`)
    assert.strictEqual(two.sessionId, one.sessionId)
    assert.strictEqual(endpointsOf(world.sender), 1)
    world.subscriber.addSubscription(`${ENDPOINT}${first}`)
    world.subscriber.addSubscription(`${ENDPOINT}${second}`)
    assert.strictEqual(endpointsOf(world.receiver), 1)
  })

  it("have the youngest endpoint without a tag, and the one of their tag after its fellow is closed", () => {
    const world = new HeapNetwork(33)
    const one = world.publisher.addPublication(`${ENDPOINT}|tags=1`)
    const two = world.publisher.addPublication(`${ENDPOINT}|tags=2|linger=0`)
    const untagged = world.publisher.addPublication(ENDPOINT)
    assert.strictEqual(untagged.sessionId, two.sessionId)
    world.publisher.conductor.closePublication(untagged, false)
    world.publisher.conductor.closePublication(two, false)
    world.run(12_000, 10)
    assert.strictEqual(endpointsOf(world.sender), 1)
    assert.strictEqual(world.publisher.addPublication(`${ENDPOINT}|tags=1`).sessionId, one.sessionId)
    assert.strictEqual(world.publisher.addPublication(ENDPOINT).sessionId, one.sessionId)
  })

  it("agree about their images where they have the same tag, or the second has none", () => {
    const world = new HeapNetwork(34)
    world.subscriber.addSubscription(`${ENDPOINT}|tags=1`)
    for (const tag of ["|tags=1", ""]) {
      const failure = refusal(world.subscriber, `${ENDPOINT}${tag}|reliable=false`)
      assert.strictEqual(failure.code, ErrorCode.INVALID_CHANNEL)
      assert.include(failure.message, "option conflicts with existing subscription: reliable=false")
    }
  })

  it("take their images as they are where they bring a tag to an endpoint without one", () => {
    const world = new HeapNetwork(35)
    world.subscriber.addSubscription(ENDPOINT)
    const tagged = world.subscriber.addSubscription(`${ENDPOINT}|tags=1|reliable=false`)
    world.publisher.addPublication(ENDPOINT)
    world.run(300)
    assert.strictEqual(tagged.current.length, 1)
  })
})
