/** What the driver calls work: only that keeps it from parking. */
import { assert, describe, it } from "@effect/vitest"
import type { Agent } from "@millrace/core/kernel/agent/Agent"
import * as SystemCounters from "../../src/driver/SystemCounters.ts"
import type { HeapDriver } from "./HeapDriver.ts"
import { HeapNetwork } from "./HeapNetwork.ts"

const CHANNEL = "aeron:udp?endpoint=10.0.0.2:40456|term-length=64k"

/** Counts the cycles of a driver that found work. */
const countingWork = ({ agent }: HeapDriver): (() => number) => {
  let cycles = 0
  const counted = agent as { doWork: Agent["doWork"] }
  const doWork = agent.doWork.bind(agent)
  counted.doWork = (nowNs) => {
    const workCount = doWork(nowNs)
    cycles += workCount > 0 ? 1 : 0
    return workCount
  }
  return () => cycles
}

describe("an idle driver", () => {
  it("has no work while its streams only show that they live", () => {
    const world = new HeapNetwork(1)
    const subscription = world.subscriber.addSubscription(CHANNEL)
    world.publisher.addPublication(CHANNEL)
    world.run(500)
    assert.strictEqual(subscription.current.length, 1)
    const [sender, receiver] = [countingWork(world.sender), countingWork(world.receiver)]
    const heartbeats = (): number => world.receiver.systemCounter(SystemCounters.HEARTBEATS_RECEIVED)
    const statusMessages = (): number => world.sender.systemCounter(SystemCounters.STATUS_MESSAGES_RECEIVED)
    const before = [heartbeats(), statusMessages()]
    world.run(5000)
    assert.strictEqual(sender() + receiver(), 0)
    assert.isAbove(heartbeats(), before[0]! + 30)
    assert.isAbove(statusMessages(), before[1]! + 20)
  })

  it("has no work while nobody answers its set-ups", () => {
    const world = new HeapNetwork(2)
    world.publisher.addPublication(CHANNEL)
    world.run(500)
    const sender = countingWork(world.sender)
    world.run(5000)
    assert.strictEqual(sender(), 0)
  })

  it("has work with the first message, on both sides", () => {
    const world = new HeapNetwork(3)
    world.subscriber.addSubscription(CHANNEL)
    const publication = world.publisher.addPublication(CHANNEL)
    world.run(1000)
    const [sender, receiver] = [countingWork(world.sender), countingWork(world.receiver)]
    publication.offer(new Uint8Array(10), 0, 10)
    world.run(3)
    assert.isAbove(sender(), 0)
    assert.isAbove(receiver(), 0)
  })
})
