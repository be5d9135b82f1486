/** A neighbor that a driver is told to begin with: `host:port`, looked up again while it does not answer. */
import { AtomicCounter } from "@millrace/core/kernel/counters/AtomicCounter"
import type { CountersManager } from "@millrace/core/kernel/counters/CountersManager"
import { parseAddress, SocketAddress, splitHostPort } from "../channel/SocketAddress.ts"
import * as StreamCounters from "../driver/StreamCounters.ts"
import type { NameResolver, PendingResolution } from "./NameResolver.ts"

export const TYPE_ID = 21

/** It is no `host:port`. */
class MalformedNeighbor extends Error {
  readonly _tag = "MalformedNeighbor"

  constructor(text: string) {
    super(`resolverBootstrapNeighbor: "${text}" is no host:port`)
  }
}

export class BootstrapNeighbor {
  /** Undefined as long as its name means nothing. */
  address: SocketAddress | undefined = undefined
  private readonly text: string
  private readonly index: number
  private readonly host: string
  private readonly port: number
  private readonly resolver: NameResolver
  private counters: CountersManager | undefined = undefined
  private counter: AtomicCounter | undefined = undefined
  private pending: PendingResolution | undefined = undefined

  constructor(text: string, index: number, resolver: NameResolver) {
    const parts = splitHostPort(text)
    if (parts === undefined) {
      throw new MalformedNeighbor(text)
    }
    this.text = text
    this.index = index
    this.host = parts.host
    this.port = parts.port
    this.resolver = resolver
  }

  /** Its counter is 1 while it is a neighbor. */
  init(counters: CountersManager): void {
    const key = new Uint8Array(4)
    new DataView(key.buffer).setInt32(0, this.index, true)
    const { id } = StreamCounters.allocate(counters, { typeId: TYPE_ID, key, label: this.label() })
    this.counters = counters
    this.counter = new AtomicCounter(counters.values, id)
  }

  show(isNeighbor: boolean): void {
    this.counter?.set(isNeighbor ? 1n : 0n)
  }

  resolve(isReResolution: boolean): void {
    const literal = parseAddress(this.host)
    if (literal === undefined) {
      this.pending ??= this.resolver.resolve(this.host, "bootstrap_neighbor", isReResolution)
    } else {
      this.become(literal)
    }
  }

  /** A look-up may be done. What is unknown now is looked up again later. */
  poll(): void {
    const resolution = this.pending?.poll()
    if (resolution !== undefined) {
      this.pending = undefined
      this.become(resolution._tag === "Resolved" ? resolution.address : undefined)
    }
  }

  private become(address: Uint8Array | undefined): void {
    this.address = address === undefined ? undefined : new SocketAddress(address, this.port)
    if (this.counter !== undefined) {
      this.counters?.setLabel(this.counter.id, this.label())
    }
  }

  private label(): string {
    return `Bootstrap neighbor: name=${this.text} resolved=${this.address?.text ?? ""}`
  }
}
