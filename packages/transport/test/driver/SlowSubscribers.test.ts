/** Subscribers of one stream that read at very different speeds, or not at all. */
import { assert, describe, it } from "@effect/vitest"
import { FragmentBatch } from "@millrace/core/kernel/logbuffer/FragmentBatch"
import * as OfferResult from "@millrace/core/kernel/logbuffer/OfferResult"
import type { ClientPublication } from "../../src/client/ClientPublication.ts"
import type { SubscriptionImages } from "../../src/client/SubscriptionImages.ts"
import { HeapClient, readAll } from "../client/HeapClient.ts"
import { HeapNetwork } from "./HeapNetwork.ts"

const CHANNELS = ["aeron:ipc?term-length=64k", "aeron:udp?endpoint=10.0.0.2:40456|term-length=64k"] as const
const STEP_MS = 5

const encoder = new TextEncoder()

/** A publication whose subscribers are at one driver. */
const connect = (channel: string, subscriptions: (world: HeapNetwork) => ReadonlyArray<SubscriptionImages>) => {
  const world = new HeapNetwork(1)
  const subscribed = subscriptions(world)
  const publisher = channel.startsWith("aeron:ipc") ? world.subscriber : world.publisher
  const publication = publisher.addPublication(channel)
  world.run(200)
  return { world, publication, subscriptions: subscribed }
}

/** As many numbered messages as there is room for. Returns the number of the next. */
const offerAll = (publication: ClientPublication, next: number): number => {
  let number = next
  for (;;) {
    const bytes = encoder.encode(`${number}`.padEnd(500))
    if (publication.offer(bytes, 0, bytes.length) < 0) {
      return number
    }
    number++
  }
}

describe.each(CHANNELS)("subscribers of %s", (channel) => {
  it("are held up by one whose client has died until that is known, and no longer", () => {
    const clients: Array<HeapClient> = []
    const { publication, subscriptions, world } = connect(channel, ({ receiver, subscriber }) => {
      clients.push(new HeapClient(receiver))
      return [subscriber, ...clients].map((client) => client.addSubscription(channel))
    })
    const [living, dead] = subscriptions
    clients[0]!.step()
    assert.strictEqual(dead!.current.length, 1)
    let sent = 0
    let received = 0
    const pass = (ms: number): void =>
      world.run(ms, STEP_MS, () => {
        sent = offerAll(publication, sent)
        received += readAll(living!).length
      })
    pass(5000)
    const held = sent
    assert.isAbove(held, 0)
    assert.strictEqual(publication.offer(new Uint8Array(1), 0, 1), OfferResult.BACK_PRESSURED)
    pass(10_000)
    assert.isAbove(sent, 10 * held)
    pass(100)
    assert.strictEqual(living!.current.length, 1)
    assert.isAbove(received, 10 * held)
  })

  it("leave one behind that stands still, though all of them are untethered", () => {
    const untethered = `${channel}|untethered-window-limit-timeout=500ms`
    const { publication, subscriptions, world } = connect(untethered, ({ subscriber }) => [
      subscriber.addSubscription(`${untethered}|tether=false|rejoin=false`),
      subscriber.addSubscription(`${untethered}|tether=false|rejoin=false`)
    ])
    const [fast, still] = subscriptions
    let sent = 0
    const received: Array<number> = []
    world.run(3000, STEP_MS, () => {
      sent = offerAll(publication, sent)
      received.push(...readAll(fast!).map(Number))
    })
    assert.deepStrictEqual([fast!.current.length, still!.current.length], [1, 0])
    assert.isAbove(received.length, 500)
    assert.deepStrictEqual(
      received,
      Array.from({ length: received.length }, (_, index) => index)
    )
  })

  it("lose nothing though they read a message in half a second", () => {
    const { publication, subscriptions, world } = connect(channel, ({ subscriber }) => [
      subscriber.addSubscription(channel)
    ])
    const [subscription] = subscriptions
    const batch = new FragmentBatch(1)
    let sent = 0
    const received: Array<number> = []
    const read = (): boolean => {
      const image = subscription!.read(batch, 1)
      if (image === undefined) {
        return false
      }
      received.push(Number(new TextDecoder().decode(batch.message(0))))
      image.release()
      return true
    }
    for (let second = 0; second < 60; second++) {
      sent = offerAll(publication, sent)
      world.run(500, STEP_MS)
      assert.isTrue(read())
    }
    assert.strictEqual(received.length, 60)
    assert.isBelow(sent, 300)
    for (let passed = 0; passed < 1000 && received.length < sent; passed++) {
      world.run(STEP_MS, STEP_MS)
      while (read()) {
        // All there is.
      }
    }
    assert.deepStrictEqual(
      received,
      Array.from({ length: sent }, (_, index) => index)
    )
  })
})
