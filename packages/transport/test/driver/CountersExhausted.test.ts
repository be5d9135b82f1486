/**
 * Any client may use up the counters. Whatever needs some then is refused whole: one answer, no counter kept, no log
 * left mapped, no socket left open, and the same request is granted once there is room again.
 */
import { assert, describe, it } from "@effect/vitest"
import type { DriverProxy } from "../../src/command/DriverProxy.ts"
import { readAll, STREAM } from "../client/HeapClient.ts"
import { HeapDriver, named, type Response } from "./HeapDriver.ts"
import { HeapNetwork } from "./HeapNetwork.ts"

const IPC = "aeron:ipc"
const UDP = "aeron:udp?endpoint=10.0.0.2:40456"
const ALLOCATED = 1

const allocated = ({ counters }: HeapDriver): ReadonlyArray<number> =>
  Array.from({ length: counters.capacity }, (_, id) => id).filter((id) => counters.state(id) === ALLOCATED)

const labels = (driver: HeapDriver): ReadonlyArray<string> =>
  allocated(driver).map((id) => driver.counters.label(id).replace(/\d+/, "id"))

/** Adds counters until only `room` are left. Returns what gives them back. */
const useUp = (driver: HeapDriver, room: number): (() => void) => {
  const hog = driver.newClient()
  hog.addCounter(1007, new Uint8Array(0), "hog")
  driver.tick()
  const missing = driver.counters.capacity - room - allocated(driver).length
  for (let added = 0; added < missing; added++) {
    hog.addCounter(1007, new Uint8Array(0), "hog")
    driver.tick()
  }
  assert.strictEqual(allocated(driver).length, driver.counters.capacity - room)
  return () => {
    hog.clientClose()
    driver.pass(3000)
  }
}

const answersTo = (responses: ReadonlyArray<Response>, correlationId: bigint): ReadonlyArray<string> =>
  responses
    .filter(({ name, value }) => {
      const { correlationId: answered, offendingCorrelationId: refused } = value as Record<string, unknown>
      const isAnswer = name === "onPublicationReady" || name === "onSubscriptionReady" || name === "onError"
      return isAnswer && (answered === correlationId || refused === correlationId)
    })
    .map(({ name }) => name)

interface Scenario {
  readonly title: string
  /** What is there already. */
  readonly before: (client: DriverProxy) => void
  readonly request: (client: DriverProxy) => bigint
  /** Counters that the request of a new client needs. */
  readonly needs: number
}

const scenarios: ReadonlyArray<Scenario> = [
  {
    title: "an IPC publication with two subscriptions",
    before: (client) => {
      client.addSubscription(IPC, STREAM)
      client.addSubscription(IPC, STREAM)
    },
    request: (client) => client.addPublication(IPC, STREAM),
    needs: 1 + 2 + 2
  },
  {
    title: "an IPC publication that is shared",
    before: (client) => client.addPublication(IPC, STREAM),
    request: (client) => client.addPublication(IPC, STREAM),
    needs: 1
  },
  {
    title: "an IPC subscription of two publications",
    before: (client) => {
      client.addExclusivePublication(IPC, STREAM)
      client.addExclusivePublication(IPC, STREAM)
    },
    request: (client) => client.addSubscription(IPC, STREAM),
    needs: 1 + 2
  },
  {
    title: "a UDP publication",
    before: () => {},
    request: (client) => client.addPublication(UDP, STREAM),
    needs: 1 + 2 + 6
  },
  {
    title: "a UDP subscription",
    before: () => {},
    request: (client) => client.addSubscription("aeron:udp?endpoint=10.0.0.1:40456", STREAM),
    needs: 1 + 2
  }
]

describe("a driver whose counters are used up", () => {
  it.each(scenarios)("refuses $title whole", ({ before, needs, request }) => {
    for (let room = 0; room <= needs; room++) {
      const world = new HeapNetwork(1)
      const driver = world.sender
      const first = driver.newClient()
      before(first)
      driver.pass(10, [first])
      const release = useUp(driver, room)
      const logs = driver.logFactory.logs.size
      const counters = labels(driver)
      const client = driver.newClient()
      const correlationId = request(client)
      const responses = driver.pass(50, [first])
      if (room === needs) {
        assert.notInclude(answersTo(responses, correlationId), "onError")
        continue
      }
      assert.deepStrictEqual(answersTo(responses, correlationId), ["onError"], `room for ${room}`)
      assert.deepStrictEqual(named(responses, "onAvailableImage"), [])
      // The client itself is known from its first command on.
      driver.pass(50, [first])
      assert.deepStrictEqual(
        labels(driver).filter((label) => !label.startsWith("client-heartbeat")),
        counters.filter((label) => !label.startsWith("client-heartbeat")),
        `room for ${room}`
      )
      release()
      assert.strictEqual(driver.logFactory.logs.size, logs)
      const again = request(client)
      assert.notInclude(answersTo(driver.pass(50, [first, client]), again), "onError", `room for ${room}`)
      first.clientClose()
      client.clientClose()
      driver.pass(20_000)
      assert.strictEqual(driver.logFactory.logs.size, 0)
      assert.deepStrictEqual(
        labels(driver).filter((label) => /^(pub|sub|snd|rcv)-/.test(label)),
        []
      )
    }
  })

  it.each(["", "|cc=cubic"])("makes no image in part, on a channel with '%s'", (options) => {
    const needs = (options === "" ? 3 : 5) + 2
    for (let room = 0; room <= needs; room++) {
      const world = new HeapNetwork(2)
      const first = world.subscriber.addSubscription(`${UDP}${options}`)
      const second = world.subscriber.addSubscription(`${UDP}${options}`)
      const counters = labels(world.receiver)
      const release = useUp(world.receiver, room)
      const publication = world.publisher.addPublication(UDP)
      world.run(1000, 10)
      if (room < needs) {
        assert.strictEqual(first.current.length + second.current.length, 0, `room for ${room}`)
        assert.strictEqual(world.receiver.logFactory.logs.size, 0)
        assert.isAbove(world.receiver.errors.length, 0)
        assert.deepStrictEqual(
          labels(world.receiver).filter((label) => !/^(hog|client-heartbeat)/.test(label)),
          counters.filter((label) => !label.startsWith("client-heartbeat"))
        )
        release()
        world.run(3000, 10)
      }
      assert.isAbove(publication.offer(new Uint8Array(3), 0, 3), 0, `room for ${room}`)
      world.run(10)
      assert.strictEqual(readAll(first).length + readAll(second).length, 2)
      world.subscriber.conductor.closeSubscription(first)
      world.subscriber.conductor.closeSubscription(second)
      world.run(15_000, 10)
      // No image holds the endpoint any more: another socket can have its address.
      assert.deepStrictEqual(
        labels(world.receiver).filter((label) => label.startsWith("rcv-channel")),
        []
      )
    }
  })

  it("links the subscriptions of a rejected stream again as soon as there is room", () => {
    const driver = new HeapDriver({ imageLivenessTimeoutNs: 4e9 })
    const client = driver.newClient()
    client.addSubscription(IPC, STREAM)
    client.addPublication(IPC, STREAM)
    const [image] = named(driver.tick(), "onAvailableImage") as ReadonlyArray<{ correlationId: bigint }>
    client.rejectImage(image!.correlationId, 0, "no")
    // A counter that was given up may be had again after a while.
    driver.pass(2000, [client])
    const release = useUp(driver, 0)
    assert.deepStrictEqual(named(driver.pass(5000, [client]), "onAvailableImage"), [])
    assert.isAbove(driver.errors.length, 0)
    release()
    assert.strictEqual(named(driver.responses, "onAvailableImage").length, 2)
  })
})
