/** Two drivers on a simulated network, with a client of each. */
import * as LossReport from "@millrace/core/kernel/lossreport/LossReport"
import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import type { DriverSettings } from "../../src/driver/DriverSettings.ts"
import { SimulatedNetwork } from "../../src/media/SimulatedNetwork.ts"
import { HeapClient } from "../client/HeapClient.ts"
import type { NameResolver } from "../../src/naming/NameResolver.ts"
import { FakeClock, HeapDriver } from "./HeapDriver.ts"

/** The same numbers for the same seed (mulberry32). */
export const seeded = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const SENDER_ADDRESS = Uint8Array.of(10, 0, 0, 1)
export const RECEIVER_ADDRESS = Uint8Array.of(10, 0, 0, 2)

export class HeapNetwork {
  readonly clock = new FakeClock()
  readonly network: SimulatedNetwork
  readonly lossReport = new HeapRegion("loss report", 64 * 1024)
  readonly sender: HeapDriver
  readonly receiver: HeapDriver
  readonly publisher: HeapClient
  readonly subscriber: HeapClient

  /** What the name `receiver` means now. */
  private receiverAddress = RECEIVER_ADDRESS
  private readonly resolverOf: (next: NameResolver) => NameResolver
  private readonly countersMax: number | undefined

  /** `resolverOf` gives each driver a resolver before the one that knows `receiver`. */
  constructor(
    seed: number,
    overrides: Partial<DriverSettings> = {},
    resolverOf: (next: NameResolver) => NameResolver = (next) => next,
    countersMax?: number
  ) {
    this.resolverOf = resolverOf
    this.countersMax = countersMax
    this.network = new SimulatedNetwork({
      nanoTime: () => this.clock.nanoTime(),
      random: seeded(seed),
      queueLength: 10_000
    })
    this.sender = this.newDriver(SENDER_ADDRESS, overrides)
    this.receiver = this.newDriver(RECEIVER_ADDRESS, overrides)
    this.publisher = new HeapClient(this.sender)
    this.subscriber = new HeapClient(this.receiver)
  }

  /** From now on the name `receiver` means another host. */
  moveReceiver(address: Uint8Array<ArrayBuffer>): void {
    this.receiverAddress = address
  }

  /** Time passes in steps; every agent has its tick in each, `each` is called after it. */
  run(ms: number, stepMs = 1, each: () => void = () => {}): void {
    for (let passed = 0; passed < ms; passed += stepMs) {
      this.clock.advanceMs(stepMs)
      this.publisher.step()
      this.subscriber.step()
      each()
    }
  }

  private newDriver(address: Uint8Array, overrides: Partial<DriverSettings>): HeapDriver {
    return new HeapDriver(overrides, {
      clock: this.clock,
      ...(this.countersMax === undefined ? {} : { countersMax: this.countersMax }),
      network: {
        udp: this.network.host(address),
        resolver: this.resolverOf({
          resolve: (host) => ({
            poll: () =>
              host === "receiver"
                ? { _tag: "Resolved", address: this.receiverAddress }
                : { _tag: "Unknown", detail: `${host} is not known` }
          })
        }),
        interfaces: () => [{ name: "sim0", address, scopeId: 1 }],
        lossReport: new LossReport.LossReport(this.lossReport.buffer())
      }
    })
  }
}
