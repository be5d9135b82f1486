/** A conductor whose sender and receiver are on other threads. */
import { assert, describe, it } from "@effect/vitest"
import { AgentTermination } from "@millrace/core/kernel/agent/Agent"
import * as LossReport from "@millrace/core/kernel/lossreport/LossReport"
import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import type { ConductorCommands } from "../../src/driver/ConductorCommands.ts"
import { RECEIVER_COMMANDS, type ReceiverCommands } from "../../src/driver/ReceiverCommands.ts"
import { SENDER_COMMANDS, type SenderCommands } from "../../src/driver/SenderCommands.ts"
import { SimulatedNetwork } from "../../src/media/SimulatedNetwork.ts"
import { FakeClock, HeapDriver, named } from "./HeapDriver.ts"

const CHANNEL = "aeron:udp?endpoint=10.0.0.2:40456|term-length=64k"
const ADDRESS = Uint8Array.of(10, 0, 0, 1)

/** Notes each call by its name, and does nothing. */
const noting = <C>(names: ReadonlyArray<keyof C & string>, calls: Array<string>): C =>
  Object.fromEntries(names.map((name) => [name, () => void calls.push(name)])) as C

const setUp = (options: { readonly isTerminationAllowed: boolean } = { isTerminationAllowed: true }) => {
  const clock = new FakeClock()
  const calls = { sender: [] as Array<string>, receiver: [] as Array<string> }
  const said: Array<(conductor: ConductorCommands) => void> = []
  const network = new SimulatedNetwork({ nanoTime: () => clock.nanoTime(), random: () => 0.5, queueLength: 10 })
  const driver = new HeapDriver(
    {},
    {
      clock,
      network: {
        udp: network.host(ADDRESS),
        resolver: { resolve: () => ({ poll: () => undefined }) },
        interfaces: () => [{ name: "sim0", address: ADDRESS, scopeId: 1 }],
        lossReport: new LossReport.LossReport(new HeapRegion("loss report", 4096).buffer()),
        remote: {
          sender: noting<SenderCommands>(SENDER_COMMANDS, calls.sender),
          receiver: noting<ReceiverCommands>(RECEIVER_COMMANDS, calls.receiver),
          poll: (conductor) => said.splice(0).map((say) => say(conductor)).length
        }
      }
    }
  )
  driver.isTerminationAllowed = options.isTerminationAllowed
  const say = (what: (conductor: ConductorCommands) => void): void => void said.push(what)
  return { calls, driver, say }
}

describe("a conductor without agents of the network on its thread", () => {
  it("tells the sender of a publication, and lets go of it when the sender has", () => {
    const { calls, driver, say } = setUp()
    const client = driver.newClient()
    const id = client.addPublication(CHANNEL, 1001)
    const ready = [...driver.tick(), ...driver.tick()]
    assert.lengthOf(named(ready, "onPublicationReady"), 1)
    assert.deepStrictEqual(calls.sender, ["onRegisterEndpoint", "onNewPublication"])
    client.removePublication(id, false)
    driver.pass(12_000, [client])
    assert.include(calls.sender, "onRemovePublication")
    // The sender says nothing: its counters are not given to others, and the log is there for it to map.
    assert.isDefined(driver.counter(2, id))
    assert.strictEqual(driver.logFactory.logs.size, 1)
    say((conductor) => conductor.onPublicationReleased(id))
    driver.pass(3_000, [client])
    assert.isUndefined(driver.counter(2, id))
    assert.strictEqual(driver.logFactory.logs.size, 0)
  })

  it("closes a socket when its agent has let go of it, and waits with others for that", () => {
    const { calls, driver, say } = setUp()
    const client = driver.newClient()
    const id = client.addSubscription(CHANNEL.replace("10.0.0.2", "10.0.0.1"), 1001)
    driver.tick()
    client.removeSubscription(id)
    driver.tick()
    assert.deepStrictEqual(calls.receiver, [
      "onRegisterEndpoint",
      "onAddSubscription",
      "onRemoveSubscription",
      "onCloseEndpoint"
    ])
    client.addSubscription(CHANNEL.replace("10.0.0.2", "10.0.0.1"), 1001)
    assert.lengthOf(named([...driver.tick(), ...driver.tick()], "onSubscriptionReady"), 0)
    say((conductor) => conductor.onEndpointReleased(1))
    assert.lengthOf(named([...driver.tick(), ...driver.tick()], "onSubscriptionReady"), 1)
  })

  it("looks no name up for an endpoint that it has closed before its sender says that it is silent", () => {
    const { calls, driver, say } = setUp()
    const client = driver.newClient()
    const id = client.addPublication(CHANNEL, 1001)
    driver.tick()
    client.removePublication(id, false)
    driver.pass(12_000, [client])
    say((conductor) => conductor.onPublicationReleased(id))
    driver.pass(3_000, [client])
    assert.include(calls.sender, "onCloseEndpoint")
    say((conductor) => conductor.onSilent(1))
    driver.pass(3_000, [client])
    assert.isEmpty(driver.errors)
    assert.notInclude(calls.sender, "onResolutionChange")
  })

  it("ends after its agents when a client ends the driver", () => {
    const { calls, driver, say } = setUp()
    driver.newClient().terminateDriver(new Uint8Array(0))
    driver.tick()
    assert.deepStrictEqual([calls.sender, calls.receiver], [["onTerminate"], ["onTerminate"]])
    say((conductor) => conductor.onTerminated("sender"))
    // Its thread ends after it, which is no death.
    say((conductor) => conductor.onAgentDied("sender"))
    driver.tick()
    assert.isEmpty(driver.errors)
    say((conductor) => conductor.onTerminated("receiver"))
    assert.throws(() => driver.tick(), AgentTermination)
  })

  it("ends when an agent has died, and says which", () => {
    const { calls, driver, say } = setUp({ isTerminationAllowed: false })
    say((conductor) => conductor.onAgentDied("receiver"))
    driver.tick()
    assert.deepStrictEqual(calls.sender, ["onTerminate"])
    assert.include(String(driver.errors[0]), "the driver's receiver has died")
    say((conductor) => conductor.onTerminated("sender"))
    assert.throws(() => driver.tick(), AgentTermination)
  })
})
