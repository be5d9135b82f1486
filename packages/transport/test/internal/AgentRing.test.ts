/** Calls from one agent of a driver to another on a thread of its own. */
import { assert, describe, it, onTestFinished } from "vitest"
import { WakeDescriptor } from "@millrace/core/kernel/native/WakeDescriptor"
import { AgentCalls, callerOf, newMemory } from "../../src/internal/agentRing.ts"

interface Listener {
  onNumber(n: number, id: bigint): void
  onBytes(bytes: Uint8Array, nothing: undefined): void
  onError(error: unknown): void
}

const NAMES = ["onNumber", "onBytes", "onError"] as const satisfies ReadonlyArray<keyof Listener>

const setUp = () => {
  const wake = WakeDescriptor.open()
  onTestFinished(() => wake.close())
  const address = { memory: newMemory(), wake: wake.handle }
  let fulls = 0
  const errors: Array<unknown> = []
  const heard: Array<ReadonlyArray<unknown>> = []
  const caller = callerOf(address, () => fulls++)
  const calls = new AgentCalls<Listener>(address, NAMES, (error) => errors.push(error))
  const listener: Listener = {
    onNumber: (...args) => {
      if (args[0] < 0) {
        throw new Error("a number below zero")
      }
      heard.push(args)
    },
    onBytes: (...args) => heard.push(args),
    onError: (...args) => heard.push(args)
  }
  return { caller, calls, errors, fulls: () => fulls, heard, listener, proxy: caller.proxy<Listener>(NAMES) }
}

describe.runIf(process.platform === "linux")("calls between agents", () => {
  it("are made in order, with whatever plain data they carry", () => {
    const { calls, heard, listener, proxy } = setUp()
    proxy.onNumber(1, 2n ** 62n)
    proxy.onBytes(Uint8Array.of(1, 2, 3), undefined)
    proxy.onError(new TypeError("it failed"))
    assert.strictEqual(calls.poll(listener), 3)
    assert.deepStrictEqual(heard[0], [1, 2n ** 62n])
    assert.deepStrictEqual(heard[1], [Uint8Array.of(1, 2, 3), undefined])
    assert.instanceOf(heard[2]![0], TypeError)
    assert.strictEqual(heard[2]![0].message, "it failed")
  })

  it("wait in order when the ring has no room, and none is lost", () => {
    const { caller, calls, fulls, heard, listener, proxy } = setUp()
    const count = 700
    const bytes = new Uint8Array(400)
    for (let n = 0; n < count; n++) {
      proxy.onNumber(n, 0n)
      proxy.onBytes(bytes, undefined)
    }
    assert.isAbove(fulls(), 0)
    while (heard.length < 2 * count) {
      caller.flush()
      calls.poll(listener)
    }
    assert.deepStrictEqual(
      heard.filter((args) => typeof args[0] === "number").map(([n]) => n),
      Array.from({ length: count }, (_, n) => n)
    )
    assert.strictEqual(caller.flush(), 0)
  })

  it("go on when one of them fails, which is told", () => {
    const { calls, errors, heard, listener, proxy } = setUp()
    proxy.onNumber(-1, 0n)
    proxy.onNumber(1, 0n)
    assert.strictEqual(calls.poll(listener), 2)
    assert.deepStrictEqual(heard, [[1, 0n]])
    assert.include(String(errors[0]), "a number below zero")
  })
})
