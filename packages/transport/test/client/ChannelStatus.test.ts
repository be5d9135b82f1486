import { assert, describe, it } from "@effect/vitest"
import * as ChannelStatus from "../../src/client/ChannelStatus.ts"
import { HeapDriver } from "../driver/HeapDriver.ts"
import { HeapNetwork } from "../driver/HeapNetwork.ts"
import { HeapClient } from "./HeapClient.ts"

describe("ChannelStatus", () => {
  it("says that an IPC channel is active and has no address", () => {
    const driver = new HeapDriver()
    const subscription = new HeapClient(driver).addSubscription()
    assert.strictEqual(ChannelStatus.read(driver.counters, subscription.channelStatusId), ChannelStatus.ACTIVE)
    assert.deepStrictEqual(ChannelStatus.localAddresses(driver.counters, subscription.channelStatusId), [])
  })

  it("names the address that a network channel is bound to, until it closes", () => {
    const net = new HeapNetwork(1)
    let subscription = undefined as ReturnType<HeapClient["addSubscription"]> | undefined
    net.subscriber.conductor.addSubscription("aeron:udp?endpoint=10.0.0.2:40123", 1001, {
      onSuccess: (added) => (subscription = added),
      onFailure: (failure) => assert.fail(JSON.stringify(failure))
    })
    net.run(10)
    const { counters } = net.receiver
    const statusId = subscription!.channelStatusId
    assert.strictEqual(ChannelStatus.read(counters, statusId), ChannelStatus.ACTIVE)
    assert.deepStrictEqual(ChannelStatus.localAddresses(counters, statusId), ["10.0.0.2:40123"])
    net.subscriber.conductor.closeSubscription(subscription!)
    net.run(5000)
    assert.deepStrictEqual(ChannelStatus.localAddresses(counters, statusId), [])
  })

  it.each([
    ["aeron:ipc", undefined, "aeron:ipc"],
    ["aeron:udp?endpoint=localhost:40123", undefined, "aeron:udp?endpoint=localhost:40123"],
    ["aeron:udp?endpoint=localhost:0", undefined, undefined],
    ["aeron:udp?endpoint=localhost:0", "127.0.0.1:0", undefined],
    ["aeron:udp?endpoint=localhost:0|mtu=4k", "127.0.0.1:51000", "aeron:udp?endpoint=localhost:51000|mtu=4k"],
    ["aeron:udp?endpoint=[::1]:0", "[::1]:51000", "aeron:udp?endpoint=[::1]:51000"]
  ])("resolves the port of %s bound to %s as %s", (channel, resolved, expected) => {
    assert.strictEqual(ChannelStatus.resolveEndpointPort(channel, resolved), expected)
  })
})
