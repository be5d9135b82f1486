import { assert, describe, it } from "@effect/vitest"
import { FragmentBatch } from "@millrace/core/kernel/logbuffer/FragmentBatch"
import type { SubscriptionImages } from "../../src/client/SubscriptionImages.ts"
import { readAll } from "../client/HeapClient.ts"
import { HeapNetwork } from "./HeapNetwork.ts"

const TIMEOUTS = "untethered-window-limit-timeout=1s|untethered-resting-timeout=2s"

const readOne = (subscription: SubscriptionImages): string => {
  const batch = new FragmentBatch(1)
  const image = subscription.read(batch, Infinity)
  assert(image !== undefined)
  const text = new TextDecoder().decode(batch.message(0))
  image.release()
  return text
}

describe("an untethered subscription that rejoins", () => {
  for (const [media, endpoint] of [
    ["ipc", "aeron:ipc?"],
    ["udp", "aeron:udp?endpoint=receiver:40456|"]
  ] as const) {
    it(`does not get again over ${media} what it has read, while another is further behind`, () => {
      const world = new HeapNetwork(1)
      const publisher = media === "ipc" ? world.subscriber : world.publisher
      const untethered = world.subscriber.addSubscription(`${endpoint}tether=false|${TIMEOUTS}`)
      const slow = world.subscriber.addSubscription(endpoint.slice(0, -1))
      const fast = world.subscriber.addSubscription(endpoint.slice(0, -1))
      const publication = publisher.addPublication(`${endpoint}term-length=64k|${TIMEOUTS}`)
      world.run(200)
      const bytes = new TextEncoder().encode("x".repeat(1000))
      for (let message = 0; message < 29; message++) {
        bytes.set(new TextEncoder().encode(String(message).padStart(4)))
        assert.isAbove(publication.offer(bytes, 0, bytes.length), 0)
      }
      world.run(100)
      assert.strictEqual(Number(readOne(untethered).slice(0, 4)), 0)
      assert.strictEqual(readAll(fast).length, 29)
      for (let passed = 0; passed < 5000 && untethered.isConnected; passed += 10) {
        world.run(10, 10)
      }
      assert.isFalse(untethered.isConnected)
      for (let passed = 0; passed < 10_000 && !untethered.isConnected; passed += 10) {
        world.run(10, 10)
      }
      assert.isTrue(untethered.isConnected)
      assert.isTrue(slow.isConnected)
      assert.strictEqual(Number(readOne(untethered).slice(0, 4)), 1)
    })
  }

  it("leaves its image to a subscription that comes while it rests", () => {
    const world = new HeapNetwork(1)
    const channel = "aeron:udp?endpoint=receiver:40456"
    const times = "untethered-window-limit-timeout=1s|untethered-resting-timeout=60s"
    const resting = world.subscriber.addSubscription(`${channel}|tether=false|${times}`)
    const leaving = world.subscriber.addSubscription(channel)
    const publication = world.publisher.addPublication(`${channel}|term-length=64k`)
    world.run(200)
    const message = new Uint8Array(1000)
    for (let passed = 0; passed < 5000 && resting.isConnected; passed += 10) {
      publication.offer(message, 0, message.length)
      world.run(10, 10)
      readAll(leaving)
    }
    assert.isFalse(resting.isConnected)
    // After the time to linger it rests.
    world.run(2000, 10)
    world.subscriber.conductor.closeSubscription(leaving)
    world.run(100, 10)
    const late = world.subscriber.addSubscription(channel)
    world.run(500, 10)
    assert.isTrue(late.isConnected)
    assert.isAbove(publication.offer(message, 0, message.length), 0)
    world.run(500, 10)
    assert.isAbove(readAll(late).length, 0)
  })
})
