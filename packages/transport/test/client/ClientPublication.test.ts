import { assert, describe, it } from "@effect/vitest"
import { BufferClaim } from "@millrace/core/kernel/logbuffer/BufferClaim"
import * as OfferResult from "@millrace/core/kernel/logbuffer/OfferResult"
import { AssertionError } from "@millrace/core/kernel/memory/Assert"
import { frameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import { HeapDriver, TERM_LENGTH } from "../driver/HeapDriver.ts"
import { HeapClient, readAll } from "./HeapClient.ts"

const encoder = new TextEncoder()
const kinds = [
  ["concurrent", false],
  ["exclusive", true]
] as const

const connected = (isExclusive: boolean, channel = "aeron:ipc") => {
  const driver = new HeapDriver()
  const client = new HeapClient(driver)
  const publication = client.addPublication(channel, isExclusive)
  const subscription = client.addSubscription()
  client.step()
  return { driver, client, publication, subscription }
}

/** Reads and lets the driver follow, until `count` messages came. */
const receive = (set: ReturnType<typeof connected>, count: number): ReadonlyArray<string> => {
  const texts: Array<string> = []
  for (let i = 0; i < 100 && texts.length < count; i++) {
    texts.push(...readAll(set.subscription))
    set.client.step()
  }
  return texts
}

describe.each(kinds)("ClientPublication, %s", (_name, isExclusive) => {
  it("offers many messages in one batch, long ones among them", () => {
    const set = connected(isExclusive)
    const texts = ["a", "", "b".repeat(3000), "c", "d".repeat(1376)]
    const position = set.publication.offerMany(
      texts.map((text) => encoder.encode(text)),
      0
    )
    assert.isAbove(position, 0)
    assert.strictEqual(set.publication.acceptedCount, 5)
    assert.deepStrictEqual(receive(set, 5), texts)
  })

  it("takes of many messages those for which there is room", () => {
    const set = connected(isExclusive)
    const messages = Array.from({ length: 100 }, (_, index) => encoder.encode(`${index}`.padStart(1000)))
    set.publication.offerMany(messages, 0)
    const first = set.publication.acceptedCount
    assert.isAbove(first, 0)
    assert.isBelow(first, 100)
    assert.strictEqual(set.publication.offerMany(messages, first), OfferResult.BACK_PRESSURED)
    assert.strictEqual(set.publication.acceptedCount, 0)
    assert.strictEqual(receive(set, first).length, first)
    set.publication.offerMany(messages, first)
    assert.isAbove(set.publication.acceptedCount, 0)
  })

  it("encodes a batch in place, message by message, shorter ones too", () => {
    const set = connected(isExclusive)
    const texts = Array.from({ length: 50 }, (_, index) => "x".repeat(index % 7) + index)
    const encode = (bytes: Uint8Array, offset: number, index: number): number =>
      encoder.encodeInto(texts[index]!, bytes.subarray(offset)).written
    assert.isAbove(set.publication.offerBatch(50, 16, encode), 0)
    assert.strictEqual(set.publication.acceptedCount, 50)
    assert.deepStrictEqual(receive(set, 50), texts)
  })

  it("splits a batch at the maximum message length and across the term's end", () => {
    const set = connected(isExclusive)
    let sent = 0
    const texts: Array<string> = []
    while (sent < 4000) {
      const first = sent
      set.publication.offerBatch(Math.min(500, 4000 - sent), 8, (bytes, offset, index) => {
        bytes.set(encoder.encode(String(first + index).padStart(8, "0")), offset)
        return 8
      })
      sent += set.publication.acceptedCount
      texts.push(...readAll(set.subscription))
      set.client.step()
    }
    texts.push(...receive(set, 4000 - texts.length))
    assert.isAbove(set.publication.position(), 3 * TERM_LENGTH)
    assert.deepStrictEqual(
      texts,
      Array.from({ length: 4000 }, (_, index) => String(index).padStart(8, "0"))
    )
  })

  it("gives up a batch whose encoder throws: readers step over it", () => {
    const set = connected(isExclusive)
    const failing = (_bytes: Uint8Array, _offset: number, index: number): number => {
      if (index === 3) {
        throw new RangeError("encoder")
      }
      return 8
    }
    assert.throws(() => set.publication.offerBatch(10, 8, failing), RangeError)
    set.publication.offer(encoder.encode("after"), 0, 5)
    assert.deepStrictEqual(receive(set, 1), ["after"])
  })

  it("claims a frame that is written in place, committed or given up", () => {
    const set = connected(isExclusive)
    const claim = new BufferClaim()
    assert.isAbove(set.publication.tryClaim(3, claim), 0)
    claim.buffer.bytes.set(encoder.encode("abc"), claim.offset)
    claim.commit()
    assert.isAbove(set.publication.tryClaim(3, claim), 0)
    claim.abort()
    set.publication.offer(encoder.encode("z"), 0, 1)
    assert.deepStrictEqual(receive(set, 2), ["abc", "z"])
  })

  it("puts parts together into one message", () => {
    const set = connected(isExclusive)
    const parts = ["one ", "", "message ", "y".repeat(2000)]
    set.publication.offerParts(parts.map((part) => encoder.encode(part)))
    assert.deepStrictEqual(receive(set, 1), [parts.join("")])
  })

  it("encodes of a batch what there is room for, and says how much that was", () => {
    const { publication, subscription } = connected(isExclusive)
    const fill = (bytes: Uint8Array, offset: number): number => {
      bytes.fill(1, offset, offset + 1000)
      return 1000
    }
    const position = publication.offerBatch(100, 1000, fill)
    assert.isAbove(publication.acceptedCount, 0)
    assert.isBelow(publication.acceptedCount, 100)
    assert.strictEqual(position, publication.position())
    assert.strictEqual(publication.offerBatch(100, 1000, fill), OfferResult.BACK_PRESSURED)
    assert.strictEqual(publication.acceptedCount, 0)
    assert.isAtLeast(position, publication.positionLimit())
    assert.strictEqual(publication.availableWindow(), 0)
    assert.isAbove(readAll(subscription).length, 0)
  })

  it("takes nothing once it is closed, and says so", () => {
    const { publication } = connected(isExclusive)
    publication.offer(encoder.encode("a"), 0, 1)
    publication.close()
    publication.close()
    const refusals = [
      publication.position(),
      publication.positionLimit(),
      publication.availableWindow(),
      publication.offer(encoder.encode("a"), 0, 1),
      publication.offerMany([encoder.encode("a")], 0),
      publication.offerParts([encoder.encode("a")]),
      publication.offerBatch(1, 8, () => 8),
      publication.tryClaim(8, new BufferClaim())
    ]
    assert.deepStrictEqual(new Set(refusals), new Set([OfferResult.CLOSED]))
    assert.strictEqual(publication.closedPosition, 64)
    assert.isFalse(publication.isConnected)
  })

  it("says that its last position is near to who has no subscriber", () => {
    const channel = "aeron:ipc?term-length=64k|init-term-id=1|term-id=-2147483648|term-offset=65408"
    const publication = new HeapClient(new HeapDriver()).addPublication(channel, isExclusive)
    assert.strictEqual(publication.offer(new Uint8Array(64), 0, 64), OfferResult.NOT_CONNECTED)
    assert.strictEqual(publication.offer(new Uint8Array(128), 0, 128), OfferResult.MAX_POSITION_EXCEEDED)
  })

  it("ends at the last position of its stream", () => {
    // The last term there is: its id is 2^31 - 1 after the first.
    const channel = "aeron:ipc?term-length=64k|init-term-id=1|term-id=-2147483648|term-offset=65408"
    const set = connected(isExclusive, channel)
    const message = new Uint8Array(32)
    assert.strictEqual(set.publication.offer(message, 0, 32), set.publication.positionMax - 64)
    assert.strictEqual(set.publication.offer(message, 0, 32), set.publication.positionMax)
    assert.strictEqual(set.publication.offer(message, 0, 32), OfferResult.MAX_POSITION_EXCEEDED)
    assert.strictEqual(set.publication.offer(message, 0, 32), OfferResult.MAX_POSITION_EXCEEDED)
  })
})

describe("a concurrent publication", () => {
  it("does not go on while another writer rotates the log", () => {
    const { publication } = connected(false)
    const { initialTermId, metadata } = publication.log.buffers
    // The next term is begun and the count of terms is not moved yet.
    metadata.int64[0] = BigInt(initialTermId + 3) << 32n
    assert.strictEqual(publication.offer(encoder.encode("a"), 0, 1), OfferResult.ADMIN_ACTION)
    assert.strictEqual(publication.availableWindow(), OfferResult.ADMIN_ACTION)
    // Nor do batches: the writer may have been stopped there for good.
    assert.strictEqual(publication.offerMany([encoder.encode("a")], 0), OfferResult.ADMIN_ACTION)
    assert.strictEqual(
      publication.offerBatch(1, 1, () => 1),
      OfferResult.ADMIN_ACTION
    )
    assert.strictEqual(publication.acceptedCount, 0)
    metadata.int64[0] = BigInt(initialTermId) << 32n
    assert.isAbove(publication.offer(encoder.encode("a"), 0, 1), 0)
  })
})

describe("an exclusive publication", () => {
  it("takes no block once it is closed", () => {
    const { publication } = connected(true)
    publication.close()
    assert.strictEqual(publication.offerBlock(frameBuffer(new Uint8Array(64)), 0, 64), OfferResult.CLOSED)
  })

  it("skips stretches of padding, which nobody receives", () => {
    const set = connected(true)
    set.publication.offer(encoder.encode("a"), 0, 1)
    assert.strictEqual(set.publication.appendPadding(100), 64 + 160)
    set.publication.offer(encoder.encode("b"), 0, 1)
    assert.deepStrictEqual(receive(set, 2), ["a", "b"])
    set.publication.close()
    assert.strictEqual(set.publication.appendPadding(0), OfferResult.CLOSED)
    assert.strictEqual(set.publication.closedPosition, 64 + 160 + 64)
  })

  it("is the only one that takes padding and blocks", () => {
    const { publication } = connected(false)
    assert.throws(() => publication.appendPadding(0), AssertionError)
    assert.throws(() => publication.offerBlock(frameBuffer(new Uint8Array(64)), 0, 64), AssertionError)
  })
})

describe("the available window", () => {
  it("shrinks with what is offered and grows with what is read", () => {
    const set = connected(true)
    const whole = set.publication.availableWindow()
    assert.strictEqual(whole, TERM_LENGTH / 2)
    set.publication.offer(new Uint8Array(1000), 0, 1000)
    assert.strictEqual(set.publication.availableWindow(), whole - 1056)
    while (set.publication.offer(new Uint8Array(1000), 0, 1000) >= 0) {
      // Up to the limit, and with the last message beyond it.
    }
    assert.strictEqual(set.publication.availableWindow(), 0)
    receive(set, 32)
    assert.isAbove(set.publication.availableWindow(), 0)
    set.publication.close()
    assert.strictEqual(set.publication.availableWindow(), OfferResult.CLOSED)
  })
})
