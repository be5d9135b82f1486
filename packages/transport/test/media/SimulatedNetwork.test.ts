import { assert, describe, it } from "@effect/vitest"
import { frameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import { SocketAddress } from "../../src/channel/SocketAddress.ts"
import { SimulatedNetwork } from "../../src/media/SimulatedNetwork.ts"
import type { UdpSocket } from "../../src/media/UdpPort.ts"
import { SeededRandom } from "../../src/simulation/SeededRandom.ts"

const A = Uint8Array.of(10, 0, 0, 1)
const B = Uint8Array.of(10, 0, 0, 2)

const setUp = (seed = 1) => {
  const random = new SeededRandom(seed)
  const time = { nowNs: 0 }
  const network = new SimulatedNetwork({ nanoTime: () => time.nowNs, random: () => random.next(), queueLength: 1000 })
  const open = (address: Uint8Array, port: number): UdpSocket =>
    network.host(address).open({
      local: new SocketAddress(address, port),
      remote: undefined,
      receiveBufferLength: 0,
      sendBufferLength: 0
    })
  return { network, time, sender: open(A, 1), receiver: open(B, 1), open }
}

type World = ReturnType<typeof setUp>

const send = ({ receiver, sender }: World, count: number): void => {
  for (let number = 0; number < count; number++) {
    sender.send(frameBuffer(Uint8Array.of(number)), 0, 1, receiver.localAddress)
  }
}

/** What has arrived when everything that was sent has. */
const arrived = ({ receiver, time }: World): ReadonlyArray<number> => {
  const numbers: Array<number> = []
  time.nowNs += 1e9
  receiver.poll(({ bytes }) => numbers.push(bytes[0]!), 1000)
  return numbers
}

const isInOrder = (numbers: ReadonlyArray<number>): boolean =>
  numbers.every((number, index) => index === 0 || number > numbers[index - 1]!)

describe("SimulatedNetwork", () => {
  it("hands on what is sent, in order, while it has no faults", () => {
    const world = setUp()
    send(world, 200)
    assert.deepStrictEqual(
      arrived(world),
      Array.from({ length: 200 }, (_, number) => number)
    )
  })

  it("loses, doubles and holds up a part, the same for the same seed", () => {
    const fate = (seed: number): ReadonlyArray<number> => {
      const world = setUp(seed)
      Object.assign(world.network.faults, { lossRate: 0.2, duplicateRate: 0.2, reorderRate: 0.2 })
      send(world, 200)
      return arrived(world)
    }
    const numbers = fate(1)
    const distinct = new Set(numbers)
    assert.isBelow(distinct.size, 200)
    assert.isAbove(numbers.length, distinct.size)
    assert.isFalse(isInOrder(numbers))
    assert.deepStrictEqual(fate(1), numbers)
    assert.notDeepEqual(fate(2), numbers)
  })

  it("delivers nothing before its time", () => {
    const world = setUp()
    Object.assign(world.network.faults, { delayMinNs: 1000, delayMaxNs: 1000 })
    send(world, 1)
    world.time.nowNs = 999
    assert.strictEqual(
      world.receiver.poll(() => assert.fail("came too early"), 1),
      0
    )
    world.time.nowNs = 1000
    assert.strictEqual(
      world.receiver.poll(() => {}, 1),
      1
    )
  })

  it("has no faults any more when it is healed", () => {
    const world = setUp()
    Object.assign(world.network.faults, { lossRate: 1, isPartitioned: () => true })
    send(world, 10)
    assert.strictEqual(arrived(world).length, 0)
    world.network.heal()
    send(world, 10)
    assert.strictEqual(arrived(world).length, 10)
  })

  it("shows what is sent to whoever listens, lost or not", () => {
    const world = setUp()
    const seen: Array<string> = []
    world.network.faults.lossRate = 1
    world.network.tap = (datagram, source, target) => seen.push(`${source.text} ${target.text} ${datagram.bytes[0]}`)
    send(world, 1)
    assert.deepStrictEqual(seen, ["10.0.0.1:1 10.0.0.2:1 0"])
  })

  it("frees the addresses of a host that is gone", () => {
    const world = setUp()
    world.open(A, 2)
    world.network.dropHost(A)
    assert.deepStrictEqual(world.network.bound, ["10.0.0.2:1"])
    world.open(A, 1)
  })
})
