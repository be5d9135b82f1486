/** Many streams at once, and one session after the other. */
import { assert, describe, it } from "@effect/vitest"
import type { ClientPublication } from "../../src/client/ClientPublication.ts"
import { PENDING_IMAGES_MAX } from "../../src/driver/NetworkSubscriptions.ts"
import { readAll } from "../client/HeapClient.ts"
import { HeapNetwork } from "./HeapNetwork.ts"

const CHANNEL = "aeron:udp?endpoint=10.0.0.2:40456|term-length=64k"
const STREAMS = PENDING_IMAGES_MAX + 20
const COUNTERS_MAX = 2048

const offer = (publication: ClientPublication, text: string): number => {
  const bytes = new TextEncoder().encode(text)
  return publication.offer(bytes, 0, bytes.length)
}

describe("many streams", () => {
  it("all connect when they are opened in one moment, though set-ups are lost and logs take their time", () => {
    const world = new HeapNetwork(1, {}, undefined, COUNTERS_MAX)
    const subscription = world.subscriber.addSubscription(CHANNEL)
    world.receiver.logFactory.delayTicks = 20
    world.network.faults.lossRate = 0.3
    const publications = Array.from({ length: STREAMS }, () => world.publisher.addPublication(CHANNEL, true))
    const areConnected = (): boolean =>
      subscription.current.length === STREAMS && publications.every(({ isConnected }) => isConnected)
    for (let passed = 0; passed < 4000 && !areConnected(); passed += 20) {
      world.run(20, 5)
    }
    assert.isTrue(areConnected())
    const texts = publications.map((publication, index) => {
      assert.isAbove(offer(publication, `${index}`), 0)
      return `${index}`
    })
    world.run(500, 5)
    assert.deepStrictEqual([...readAll(subscription)].toSorted(), texts.toSorted())
  })
})

describe("a session that was closed and is opened again", () => {
  it.each(["", "|eos=false"])("is another image, with nothing of the first in it, on a channel with '%s'", (more) => {
    const world = new HeapNetwork(2, { imageLivenessTimeoutNs: 2e9 })
    const subscription = world.subscriber.addSubscription(CHANNEL)
    const images = new Set()
    for (let round = 0; round < 4; round++) {
      const publication = world.publisher.addPublication(`${CHANNEL}|session-id=77${more}`, true)
      let position = -1
      for (let passed = 0; passed < 5000 && position < 0; passed += 5) {
        world.run(5, 5)
        position = offer(publication, `round ${round}`)
      }
      assert.isAbove(position, 0)
      world.run(20)
      assert.deepStrictEqual(readAll(subscription), [`round ${round}`])
      images.add(subscription.current.at(-1)!.correlationId)
      world.publisher.conductor.closePublication(publication, false)
      // Until the publication has lingered; its image goes later.
      for (let passed = 0; passed < 15_000 && world.sender.logFactory.logs.size > 0; passed += 10) {
        world.run(10, 10)
      }
      world.run(20)
    }
    assert.strictEqual(images.size, 4)
  })

  it("is another image though nobody has read the first to its end, also of another sender", () => {
    const world = new HeapNetwork(3, { imageLivenessTimeoutNs: 1e9 })
    const subscription = world.subscriber.addSubscription(CHANNEL)
    const first = world.publisher.addPublication(`${CHANNEL}|session-id=77`, true)
    world.run(200)
    assert.isAbove(offer(first, "the first"), 0)
    world.run(20)
    world.publisher.conductor.closePublication(first, false)
    world.run(2000)
    const second = world.subscriber.addPublication(`${CHANNEL}|session-id=77`, true)
    world.run(1000)
    assert.isAbove(offer(second, "the second"), 0)
    world.run(20)
    assert.deepStrictEqual([...readAll(subscription)].toSorted(), ["the first", "the second"])
  })
})
