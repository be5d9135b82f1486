import { assert, describe, it } from "@effect/vitest"
import { ABORT, type Action, BREAK, COMMIT, CONTINUE } from "@millrace/core/kernel/logbuffer/ControlledPoll"
import { AssertionError } from "@millrace/core/kernel/memory/Assert"
import { type ControlledHandler, MessagePoll, PollBatches } from "../../src/client/MessagePoll.ts"
import { HeapDriver } from "../driver/HeapDriver.ts"
import { CHANNEL, HeapClient } from "./HeapClient.ts"

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const setUp = (countMax = 64) => {
  const driver = new HeapDriver()
  const client = new HeapClient(driver)
  const publication = client.addPublication(CHANNEL, true)
  const subscription = client.addSubscription()
  client.step()
  const offer = (...texts: ReadonlyArray<string>): void => {
    for (const text of texts) {
      const bytes = encoder.encode(text)
      assert.isAbove(publication.offer(bytes, 0, bytes.length), 0)
    }
  }
  return {
    driver,
    client,
    publication,
    subscription,
    offer,
    polling: new MessagePoll(subscription, new PollBatches(countMax), Infinity)
  }
}

type Polling = ReturnType<typeof setUp>

/** Polls with an action for each message, and says which messages the handler was given. */
const poll = (
  { polling, subscription }: Polling,
  actionOf: (text: string) => Action,
  limit = 100,
  positionLimit?: number
): { readonly texts: ReadonlyArray<string>; readonly count: number } => {
  const texts: Array<string> = []
  const image = subscription.current[0]!
  const count = polling.poll(
    image,
    (bytes, offset, length) => {
      const text = decoder.decode(bytes.slice(offset, offset + length))
      texts.push(text)
      return actionOf(text)
    },
    limit,
    positionLimit
  )
  return { texts, count }
}

/** The position that the driver sees. */
const subscriberPosition = ({ driver, subscription }: Polling): number =>
  Number(driver.counter(4, subscription.registrationId)!.value)

const goOn = (): Action => CONTINUE

describe("MessagePoll", () => {
  it("reads into memory of its own within the handler of another poll, and else into what that one had", () => {
    const [outer, inner] = [setUp(), setUp()]
    outer.offer("a", "b")
    inner.offer("c", "d")
    const batches = new PollBatches(8)
    const pollOuter = new MessagePoll(outer.subscription, batches, Infinity)
    const pollInner = new MessagePoll(inner.subscription, batches, Infinity)
    const given: Array<string> = []
    const headers = new Set<unknown>()
    const take: ControlledHandler = (bytes, offset, length, header) => {
      headers.add(header)
      given.push(decoder.decode(bytes.slice(offset, offset + length)))
      return CONTINUE
    }
    pollOuter.pollAll((...message) => {
      pollInner.pollAll(take, 1)
      return take(...message)
    }, 10)
    assert.deepStrictEqual(given, ["c", "a", "d", "b"])
    assert.strictEqual(headers.size, 2)
    inner.offer("e")
    pollInner.pollAll(take, 1)
    assert.strictEqual(headers.size, 2)
  })

  it("stops before a message that is aborted, and gives it again", () => {
    const set = setUp()
    set.offer("a", "b", "c")
    assert.deepStrictEqual(
      poll(set, (text) => (text === "b" ? ABORT : CONTINUE)),
      { texts: ["a", "b"], count: 1 }
    )
    assert.strictEqual(subscriberPosition(set), 64)
    assert.deepStrictEqual(poll(set, goOn), { texts: ["b", "c"], count: 2 })
    assert.strictEqual(subscriberPosition(set), 192)
  })

  it("gives a message again whose poll was aborted at once", () => {
    const set = setUp()
    set.offer("a")
    assert.deepStrictEqual(
      poll(set, () => ABORT),
      { texts: ["a"], count: 0 }
    )
    assert.strictEqual(subscriberPosition(set), 0)
    assert.deepStrictEqual(poll(set, goOn), { texts: ["a"], count: 1 })
  })

  it("stops behind a message that breaks", () => {
    const set = setUp()
    set.offer("a", "b", "c")
    assert.deepStrictEqual(
      poll(set, (text) => (text === "b" ? BREAK : CONTINUE)),
      { texts: ["a", "b"], count: 2 }
    )
    assert.strictEqual(subscriberPosition(set), 128)
    assert.deepStrictEqual(poll(set, goOn), { texts: ["c"], count: 1 })
  })

  it("moves the position behind a message that is committed, before the next one", () => {
    const set = setUp()
    set.offer("a", "b", "c")
    const positions: Array<number> = []
    poll(set, () => {
      positions.push(subscriberPosition(set))
      return COMMIT
    })
    assert.deepStrictEqual(positions, [0, 64, 128])
    assert.strictEqual(subscriberPosition(set), 192)
  })

  it("assembles a fragmented message again after it was aborted, though its first fragments were given back", () => {
    const set = setUp()
    const long = "x".repeat(4000)
    set.offer(long, "after")
    for (let attempt = 0; attempt < 2; attempt++) {
      assert.deepStrictEqual(
        poll(set, () => ABORT),
        { texts: [long], count: 0 }
      )
    }
    assert.deepStrictEqual(poll(set, goOn), { texts: [long, "after"], count: 2 })
  })

  it("takes no more than its limit, across batches", () => {
    const set = setUp(2)
    set.offer("a", "b", "c", "d", "e")
    assert.deepStrictEqual(poll(set, goOn, 3), { texts: ["a", "b", "c"], count: 3 })
    assert.deepStrictEqual(poll(set, goOn, 3), { texts: ["d", "e"], count: 2 })
    assert.deepStrictEqual(poll(set, goOn, 3), { texts: [], count: 0 })
  })

  it("takes no frame that begins at the limit of positions or behind it, padding and fragments included", () => {
    const set = setUp()
    set.offer("a", "b")
    set.publication.appendPadding(64)
    set.offer("c")
    assert.deepStrictEqual(poll(set, goOn, 100, 0), { texts: [], count: 0 })
    assert.deepStrictEqual(poll(set, goOn, 100, 65), { texts: ["a", "b"], count: 2 })
    assert.strictEqual(subscriberPosition(set), 128)
    assert.deepStrictEqual(poll(set, goOn, 100, 160), { texts: [], count: 0 })
    assert.strictEqual(subscriberPosition(set), 224)
    assert.deepStrictEqual(poll(set, goOn, 100, 224), { texts: [], count: 0 })
    const long = "x".repeat(4000)
    set.offer(long, "d")
    assert.deepStrictEqual(poll(set, goOn, 100, 289), { texts: ["c"], count: 1 })
    assert.strictEqual(subscriberPosition(set), 288 + 1408)
    assert.deepStrictEqual(poll(set, goOn), { texts: [long, "d"], count: 2 })
  })

  it("has taken the message whose handler threw, and none of those behind it", () => {
    const set = setUp()
    set.offer("a", "b", "c")
    assert.throws(
      () =>
        poll(set, (text) => {
          if (text === "b") {
            throw new RangeError("handler")
          }
          return CONTINUE
        }),
      RangeError
    )
    assert.strictEqual(subscriberPosition(set), 128)
    assert.deepStrictEqual(poll(set, goOn), { texts: ["c"], count: 1 })
  })

  it("begins with another image each time, and ends a stopped one alone", () => {
    const set = setUp()
    const second = set.client.addPublication(CHANNEL, true)
    set.client.step()
    set.offer("a1", "a2")
    for (const text of ["b1", "b2"]) {
      second.offer(encoder.encode(text), 0, 2)
    }
    const pollAll = (actionOf: (text: string) => Action, limit: number): ReadonlyArray<string> => {
      const texts: Array<string> = []
      set.polling.pollAll((bytes, offset, length) => {
        texts.push(decoder.decode(bytes.slice(offset, offset + length)))
        return actionOf(texts.at(-1)!)
      }, limit)
      return texts
    }
    assert.deepStrictEqual(
      pollAll(() => BREAK, 100),
      ["a1", "b1"]
    )
    assert.deepStrictEqual(pollAll(goOn, 1), ["b2"])
    assert.deepStrictEqual(pollAll(goOn, 1), ["a2"])
  })

  it("refuses to be polled by its own handler, and ends when that closes the subscription", () => {
    const set = setUp()
    set.offer("a", "b")
    const nested = (): Action => {
      poll(set, goOn)
      return CONTINUE
    }
    assert.throws(() => poll(set, nested), AssertionError, "by a handler")
    const ended = poll(set, () => {
      set.client.conductor.closeSubscription(set.subscription)
      return CONTINUE
    })
    assert.deepStrictEqual(ended, { texts: ["b"], count: 1 })
    assert.deepStrictEqual(
      set.polling.pollAll(() => CONTINUE, 10),
      0
    )
  })
})

describe("polling blocks", () => {
  it("hands over whole frames with headers, of one term, within the limit", () => {
    const set = setUp()
    set.offer("a", "bb", "x".repeat(100))
    const image = set.subscription.current[0]!
    const blocks: Array<readonly [termOffset: number, length: number]> = []
    const take = (limit: number): number =>
      set.subscription.pollBlock(image, ({ length, termOffset }) => blocks.push([termOffset, length]), limit)
    assert.strictEqual(take(150), 128)
    assert.strictEqual(subscriberPosition(set), 128)
    assert.strictEqual(take(100), 0)
    assert.strictEqual(take(1000), 160)
    assert.strictEqual(take(1000), 0)
    assert.deepStrictEqual(blocks, [
      [0, 128],
      [128, 160]
    ])
  })

  it("names the file and the place in it, in every term", () => {
    const set = setUp()
    const image = set.subscription.current[0]!
    const message = "y".repeat(1000)
    const places: Array<number> = []
    for (let i = 0; i < 140; i++) {
      const bytes = encoder.encode(message)
      while (set.publication.offer(bytes, 0, bytes.length) < 0) {
        set.client.step()
      }
      set.subscription.pollBlock(
        image,
        (block) => {
          assert.strictEqual(block.file, image.log.buffers.region.state.name)
          assert.strictEqual(block.sessionId, set.publication.sessionId)
          assert.strictEqual(block.fileOffset % image.log.buffers.termLength, block.termOffset)
          assert.strictEqual(
            new DataView(block.bytes.buffer, block.bytes.byteOffset).getInt32(block.termOffset + 20, true),
            block.termId
          )
          places.push(Math.floor(block.fileOffset / image.log.buffers.termLength))
        },
        100_000
      )
    }
    assert.deepStrictEqual(Array.from(new Set(places)), [0, 1, 2])
  })

  it("can be offered as they are to a recording of the same stream", () => {
    const source = setUp()
    source.offer("one", "two", "z".repeat(3000))
    const image = source.subscription.current[0]!
    let frames = new Uint8Array(0)
    source.subscription.pollBlock(
      image,
      ({ bytes, length, termOffset }) => (frames = bytes.slice(termOffset, termOffset + length)),
      64 * 1024
    )
    const { initialTermId } = image.log.buffers
    const channel = `aeron:ipc?term-length=64k|init-term-id=${initialTermId}|term-id=${initialTermId}|term-offset=0|session-id=${image.sessionId}`
    const client = new HeapClient(new HeapDriver())
    const subscription = client.addSubscription()
    const replay = client.addPublication(channel, true)
    client.step()
    const block = { bytes: frames, view: new DataView(frames.buffer) }
    assert.strictEqual(replay.offerBlock(block, 0, frames.length), frames.length)
    assert.throws(() => replay.offerBlock(block, 0, frames.length), /term offset/)
    const texts: Array<string> = []
    new MessagePoll(subscription, new PollBatches(8), Infinity).pollAll((bytes, offset, length) => {
      texts.push(decoder.decode(bytes.slice(offset, offset + length)))
      return CONTINUE
    }, 10)
    assert.deepStrictEqual(texts, ["one", "two", "z".repeat(3000)])
  })

  it("closes an image whose log is corrupt", () => {
    const set = setUp()
    set.offer("a")
    set.publication.log.buffers.terms[0].int32[64 / 4] = 7
    const image = set.subscription.current[0]!
    assert.throws(() => image.pollBlock(() => {}, 1000), /frame/i)
    assert.strictEqual(
      set.subscription.pollBlock(image, () => {}, 1000),
      0
    )
    assert.strictEqual(image.end, "Corrupt")
  })
})
