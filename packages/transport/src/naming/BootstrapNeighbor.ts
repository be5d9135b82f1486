/** A neighbor that a driver is told to begin with: `host:port`, looked up again while it does not answer. */
import { AtomicCounter } from "@millrace/core/kernel/counters/AtomicCounter"
import type { CountersManager } from "@millrace/core/kernel/counters/CountersManager"
import { parseAddress, SocketAddress, splitHostPort } from "../channel/SocketAddress.ts"
import * as StreamCounters from "../driver/StreamCounters.ts"
import type { NameResolver, PendingResolution } from "./NameResolver.ts"

export const TYPE_ID = 21

/** It is no `host:port`, or nobody knows the host. It may be another's mistake, and the others are there. */
class UnresolvedNeighbor extends Error {
  readonly _tag = "UnresolvedNeighbor"

  constructor(text: string, detail: string) {
    super(`WARN resolverBootstrapNeighbor: "${text}" is left out: ${detail}`)
  }
}

export class BootstrapNeighbor {
  /** Undefined as long as its name means nothing. */
  address: SocketAddress | undefined = undefined
  private readonly text: string
  private readonly index: number
  /** Undefined when the text has another form. */
  private readonly place: { readonly host: string; readonly port: number } | undefined
  private readonly resolver: NameResolver
  private readonly onError: (error: Error) => void
  private counters: CountersManager | undefined = undefined
  private counter: AtomicCounter | undefined = undefined
  private pending: PendingResolution | undefined = undefined

  constructor(text: string, index: number, resolver: NameResolver, onError: (error: Error) => void) {
    this.text = text
    this.index = index
    this.place = splitHostPort(text)
    this.resolver = resolver
    this.onError = onError
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
    if (this.place === undefined) {
      this.onError(new UnresolvedNeighbor(this.text, "it is no host:port"))
      return
    }
    const { host, port } = this.place
    const literal = parseAddress(host)
    if (literal === undefined) {
      this.pending ??= this.resolver.resolve(host, "bootstrap_neighbor", isReResolution)
    } else {
      this.become(new SocketAddress(literal, port))
    }
  }

  /** A look-up may be done. What is unknown now is looked up again later. */
  poll(): void {
    const resolution = this.pending?.poll()
    if (resolution === undefined || this.place === undefined) {
      return
    }
    this.pending = undefined
    if (resolution._tag === "Resolved") {
      this.become(new SocketAddress(resolution.address, this.place.port))
    } else {
      this.onError(new UnresolvedNeighbor(this.text, resolution.detail))
      this.become(undefined)
    }
  }

  private become(address: SocketAddress | undefined): void {
    this.address = address
    if (this.counter !== undefined) {
      this.counters?.setLabel(this.counter.id, this.label())
    }
  }

  private label(): string {
    return `Bootstrap neighbor: name=${this.text} resolved=${this.address?.text ?? ""}`
  }
}
