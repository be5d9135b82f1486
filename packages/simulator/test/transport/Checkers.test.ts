/** Each check fails when the world is broken in the way that it is there for: no part of the product is touched. */
import * as FrameType from "@millrace/core/kernel/frame/FrameType"
import * as HeaderDescriptor from "@millrace/core/kernel/frame/HeaderDescriptor"
import * as CountersDescriptor from "@millrace/core/kernel/counters/CountersDescriptor"
import type { FragmentBatch } from "@millrace/core/kernel/logbuffer/FragmentBatch"
import { assert, describe, it } from "vitest"
import { any } from "../../../transport/src/channel/SocketAddress.ts"
import { SENDER_POSITION_TYPE_ID } from "../../../transport/src/driver/StreamCounters.ts"
import { SimulationFailure } from "../../src/SimulationFailure.ts"
import type { Subscriber } from "../../src/transport/Subscriber.ts"
import * as TransportSimulation from "../../src/transport/TransportSimulation.ts"
import type { World } from "../../src/transport/World.ts"

const STEPS = 200
/** Seeds that are tried: not every life has what a sabotage needs. */
const SEEDS = 12

/** The check that fails first when every life is broken so. */
const foundBy = (sabotage: (world: World) => void): string => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    try {
      TransportSimulation.run({ seed, steps: STEPS, sabotage })
    } catch (error) {
      if (!(error instanceof SimulationFailure)) {
        throw error
      }
      return error.check
    }
  }
  return "nothing"
}

/** Does something in each step, until it says that it was done. */
const untilDone = (world: World, act: () => boolean): void => {
  const step = world.step.bind(world)
  let isDone = false
  world.step = (ns) => {
    step(ns)
    isDone = isDone || act()
  }
}

const subscribers = (world: World): ReadonlyArray<Subscriber> =>
  world.applications.flatMap((application) => application.subscribers)

type Read = Subscriber["subscription"]["read"]

/** Replaces how one subscriber of a reliable stream reads, once it has read something of so many images. */
const withReads = (
  world: World,
  wrap: (read: Read, subscription: Subscriber["subscription"]) => Read,
  imageCount = 1
): void =>
  untilDone(world, () => {
    const reader = subscribers(world).find(
      ({ plan, readCount, subscription }) =>
        plan.isReliable && readCount > 0 && subscription.current.length >= imageCount
    )
    if (reader === undefined) {
      return false
    }
    const { subscription } = reader
    subscription.read = wrap(subscription.read.bind(subscription), subscription)
    return true
  })

describe("the checks of the simulated transport", { timeout: 60_000 }, () => {
  it("see a byte that is changed on the way", () => {
    const found = foundBy((world) => {
      const { tap } = world.network
      world.network.tap = (datagram, source, target) => {
        tap(datagram, source, target)
        if (HeaderDescriptor.type(datagram, 0) === FrameType.DATA && datagram.bytes.length > 50) {
          datagram.bytes[45]! ^= 1
        }
      }
    })
    assert.strictEqual(found, "messages arrive as offered")
  })

  it("see that lost data is not asked for again", () => {
    let count = 0
    const found = foundBy(({ network }) => {
      network.heal = () => {}
      network.faults.drops = (datagram) => {
        const type = HeaderDescriptor.type(datagram, 0)
        return type === FrameType.NAK || (type === FrameType.DATA && datagram.bytes.length > 32 && ++count % 10 === 0)
      }
    })
    assert.strictEqual(found, "everything drains")
  })

  it("see a sender that does not wait for its window", () => {
    const found = foundBy((world) => {
      const { tap } = world.network
      // The check alone is told of no window.
      world.network.tap = (datagram, source, target) => {
        if (HeaderDescriptor.type(datagram, 0) !== FrameType.SM) {
          tap(datagram, source, target)
        }
      }
    })
    assert.strictEqual(found, "flow control is never overrun")
  })

  it("see a position that goes back", () => {
    const found = foundBy((world) =>
      untilDone(world, () => {
        for (const { counters } of world.hosts.flatMap(({ driver }) => driver ?? [])) {
          for (let id = 0; id < counters.capacity; id++) {
            if (
              counters.typeId(id) === SENDER_POSITION_TYPE_ID &&
              counters.value(id) > 4096n &&
              world.steps % 4 === 0
            ) {
              counters.values.int64[CountersDescriptor.valueOffset(id) / 8]! -= 32n
              return true
            }
          }
        }
        return false
      })
    )
    assert.strictEqual(found, "positions never go back")
  })

  it("see a message that comes twice", () => {
    const found = foundBy((world) =>
      withReads(world, (read) => {
        let last: ReturnType<typeof read>
        return (...parameters) => {
          const again = last
          last = again === undefined ? read(...parameters) : undefined
          return again ?? last
        }
      })
    )
    assert.strictEqual(found, "once and in order")
  })

  it("see a message that is left out", () => {
    const found = foundBy((world) =>
      withReads(world, (read) => (...parameters) => {
        read(...parameters)?.release()
        return read(...parameters)
      })
    )
    assert.include(["no gaps", "everything drains"], found)
  })

  it("see a message of one stream in an image of another", () => {
    const found = foundBy((world) =>
      withReads(
        world,
        (read, subscription) =>
          (...parameters) => {
            const image = read(...parameters)
            return image && (subscription.current.find((other) => other !== image) ?? image)
          },
        2
      )
    )
    assert.strictEqual(found, "streams are kept apart")
  })

  it("see an end of stream before its last message", () => {
    const found = foundBy((world) =>
      untilDone(world, () => {
        for (const application of world.applications) {
          const publisher = application.publishers.find(
            ({ ledger, plan, publication }) =>
              publication.isExclusive &&
              plan.isReliable &&
              subscribers(world).some((subscriber) => subscriber.lastIndexOf(ledger) >= 0)
          )
          if (publisher !== undefined) {
            // It believes that this was taken, and goes.
            const { id: publisherId, ledger } = publisher
            ledger.add({ publisherId, number: 1e6, position: Number.NaN, framedLength: 64, state: "Offered" })
            application.closePublisher(publisher, false)
            return true
          }
        }
        return false
      })
    )
    assert.strictEqual(found, "an end of stream is the end")
  })

  it("see a stream that does not connect again", () => {
    const found = foundBy(({ network }) => {
      network.heal = () => {}
      network.faults.drops = (datagram) => HeaderDescriptor.type(datagram, 0) === FrameType.SM
    })
    assert.strictEqual(found, "streams connect again")
  })

  it("see bytes that change while they are borrowed", () => {
    const found = foundBy((world) =>
      untilDone(world, () => {
        const borrower = subscribers(world).find((subscriber) => Reflect.get(subscriber, "borrowed") !== undefined)
        if (borrower === undefined) {
          return false
        }
        const batch: FragmentBatch = Reflect.get(borrower, "batch")
        batch.message(0).fill(1, 4)
        Reflect.set(Reflect.get(borrower, "borrowed"), "untilNs", 0)
        return true
      })
    )
    assert.strictEqual(found, "borrowed bytes stay")
  })

  it("see a client that ends though nothing was done to it", () => {
    const found = foundBy((world) => {
      // The driver is gone without a word to the hosts.
      world.hosts.forEach((host) => {
        untilDone(world, () => {
          host.restartNs = Infinity
          host.driver = undefined
          return world.steps > STEPS
        })
      })
    })
    assert.strictEqual(found, "clients live")
  })

  it("see a socket that is left", () => {
    const found = foundBy((world) => {
      world.network
        .host(Uint8Array.of(10, 9, 9, 9))
        .open({ local: any(4, 1), remote: undefined, receiveBufferLength: 0, sendBufferLength: 0 })
    })
    assert.strictEqual(found, "no resource is left")
  })

  it("see an error that a driver has noted", () => {
    const found = foundBy((world) =>
      untilDone(world, () => {
        const [driver] = world.hosts.flatMap((host) => host.driver ?? [])
        if (driver !== undefined) {
          Object.defineProperty(driver, "errors", { value: ["no such thing"] })
        }
        return driver !== undefined
      })
    )
    assert.strictEqual(found, "drivers note no errors")
  })
})
