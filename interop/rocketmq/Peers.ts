/** The processes of one version's tests: two that stay, and others that are made to be killed. */
import { join } from "node:path"
import type { Context } from "../Part.ts"
import { Peer } from "./Peer.ts"

export interface VersionOptions extends Context {
  readonly version: string
  /** Arguments of `java`. */
  readonly java: ReadonlyArray<string>
}

export type Side = "ours" | "real"

export class Peers {
  readonly #options: VersionOptions
  readonly #all: Array<Peer> = []
  readonly #lasting = new Map<Side, Peer>()

  constructor(options: VersionOptions) {
    this.#options = options
  }

  /** The process of a side that lives as long as the tests. */
  lasting(side: Side): Peer {
    const peer = this.#lasting.get(side) ?? this.spawn(side)
    this.#lasting.set(side, peer)
    return peer
  }

  spawn(side: Side): Peer {
    const { java, scratch, version } = this.#options
    const name = side === "ours" ? "ours" : version
    const peer = new Peer({
      name,
      command: side === "ours" ? process.execPath : "java",
      arguments: side === "ours" ? [join(import.meta.dirname, "ourPeer.ts")] : java,
      errorFile: join(scratch, `${version}-${name}.err`)
    })
    this.#all.push(peer)
    return peer
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map((peer) => peer.stop()))
  }
}
