/** What a publication takes from status messages, and what it does not. */
import { assert, describe, it } from "@effect/vitest"
import * as FrameFlags from "@millrace/core/kernel/frame/FrameFlags"
import { frameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import * as StatusMessageFrame from "@millrace/core/kernel/frame/StatusMessageFrame"
import { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import * as FrameType from "@millrace/core/kernel/frame/FrameType"
import * as HeaderDescriptor from "@millrace/core/kernel/frame/HeaderDescriptor"
import * as SystemCounters from "../../src/driver/SystemCounters.ts"
import { STREAM } from "../client/HeapClient.ts"
import { HeapNetwork } from "./HeapNetwork.ts"
import { CHANNEL, SENDER_SOCKET, TARGET } from "./HostileFrames.ts"

const SESSION = 77
const SENDER_LIMIT = 9
const RECEIVER_ID = 5n
const WINDOW = 4096
/** Flags that no version knows yet. */
const UNKNOWN_FLAGS = 0x3f

/** A publication whose one receiver is the test. */
const setUp = () => {
  const world = new HeapNetwork(1)
  const publication = world.publisher.addPublication(`${CHANNEL}|session-id=${SESSION}`, true)
  world.run(20)
  const { initialTermId } = new LogBuffers(world.sender.logFactory.map([...world.sender.logFactory.logs.keys()][0]!))
  const say = (flags: number, termOffset: number): void => {
    const frame = frameBuffer(new Uint8Array(64))
    StatusMessageFrame.write(frame, 0, flags, SESSION, STREAM, initialTermId, termOffset, WINDOW, RECEIVER_ID)
    world.network.send(TARGET, SENDER_SOCKET, frame, 0, StatusMessageFrame.HEADER_LENGTH)
    world.run(1100)
  }
  const limit = (): number => Number(world.sender.counter(SENDER_LIMIT, publication.registrationId)!.value)
  return { limit, publication, say, world }
}

describe("a status message", () => {
  it("says by one flag alone that its receiver leaves, whatever else is set", () => {
    const { publication, say } = setUp()
    say(0, 0)
    assert.isTrue(publication.isConnected)
    say(UNKNOWN_FLAGS, 0)
    assert.isTrue(publication.isConnected)
    say(UNKNOWN_FLAGS | FrameFlags.SM_EOS, 0)
    assert.isFalse(publication.isConnected)
    say(0, 0)
    assert.isTrue(publication.isConnected)
  })

  it("from further away than half a term is dropped and counted, and allows nothing", () => {
    const { limit, publication, say, world } = setUp()
    say(0, 0)
    assert.strictEqual(limit(), WINDOW)
    say(0, 32 * 1024 + 32)
    assert.strictEqual(limit(), WINDOW)
    assert.strictEqual(world.sender.systemCounter(SystemCounters.STATUS_MESSAGES_REJECTED), 1)
    say(0, 32 * 1024)
    assert.strictEqual(limit(), 32 * 1024 + WINDOW)
    assert.isTrue(publication.isConnected)
  })

  it("that asks for a set-up gets one, and allows nothing", () => {
    const { limit, publication, say, world } = setUp()
    say(0, 0)
    let setUps = 0
    world.network.tap = (frame) => (setUps += HeaderDescriptor.type(frame, 0) === FrameType.SETUP ? 1 : 0)
    say(0, 0)
    assert.strictEqual(setUps, 0)
    say(FrameFlags.SM_SETUP, 1024)
    assert.isAbove(setUps, 0)
    assert.strictEqual(limit(), WINDOW)
    assert.isTrue(publication.isConnected)
  })
})
