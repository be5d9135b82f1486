/** The ports that a driver gives to sockets whose channel says 0. */
import { assert, describe, it } from "@effect/vitest"
import * as PortRange from "../../src/media/PortRange.ts"

const taken = new Error("taken")
const isTaken = (error: unknown): boolean => error === taken

describe("PortRange", () => {
  it.each([
    ["20700 20701", { low: 20_700, high: 20_701 }],
    ["  9   9 ", { low: 9, high: 9 }],
    ["0 0", { low: 0, high: 0 }],
    ["", { low: 0, high: 0 }]
  ])("reads %j", (text, bounds) => {
    assert.deepStrictEqual(PortRange.parse(text), bounds)
    assert.isTrue(PortRange.isRange(text))
  })

  it.each(["9 8", "1", "1 2 3", "-1 5", "1 65536", "a b", "1-2"])("takes %j for no range", (text) => {
    assert.isFalse(PortRange.isRange(text))
  })

  it("leaves the choice to the system where it has no ports", () => {
    assert.isTrue(new PortRange.PortRange({ low: 0, high: 0 }).isSystems)
    assert.isFalse(new PortRange.PortRange({ low: 0, high: 9 }).isSystems)
  })

  it("gives each port once, round and round, and says when all are in use", () => {
    const ports = new PortRange.PortRange({ low: 5, high: 7 })
    const next = (): number => ports.allocate((port) => port, isTaken)
    assert.deepStrictEqual([next(), next(), next()], [5, 6, 7])
    assert.throws(next, PortRange.PortRangeExhausted, "no available ports in range 5 7")
    ports.release(6)
    assert.strictEqual(next(), 6)
    ports.release(5)
    ports.release(6)
    // Not the one that was given back last: late datagrams are still on the way to it.
    assert.strictEqual(next(), 5)
  })

  it("never gives port 0", () => {
    const ports = new PortRange.PortRange({ low: 0, high: 1 })
    assert.strictEqual(
      ports.allocate((port) => port, isTaken),
      1
    )
    assert.throws(() => ports.allocate((port) => port, isTaken), /no available ports in range 0 1/)
  })

  it("leaves out ports that channels name, and those that another process has", () => {
    const ports = new PortRange.PortRange({ low: 5, high: 8 })
    ports.use(5)
    const open = (port: number): number => {
      if (port === 6) {
        throw taken
      }
      return port
    }
    assert.strictEqual(ports.allocate(open, isTaken), 7)
    assert.strictEqual(ports.allocate(open, isTaken), 8)
    assert.throws(() => ports.allocate(open, isTaken), PortRange.PortRangeExhausted)
  })

  it("hands on whatever else keeps a socket from opening, and keeps the port free", () => {
    const ports = new PortRange.PortRange({ low: 5, high: 5 })
    assert.throws(
      () =>
        ports.allocate(() => {
          throw new Error("no descriptors")
        }, isTaken),
      "no descriptors"
    )
    assert.strictEqual(
      ports.allocate((port) => port, isTaken),
      5
    )
  })
})
