/** A store that a peer has open. */
import type {
  GetAnswer,
  GetRequest,
  Listing,
  PutOutcome,
  QueryRequest,
  ScriptedMessage,
  TimeAnswer,
  TimeRequest
} from "./Listing.ts"
import type { Peer } from "./Peer.ts"

export type Config = Readonly<Record<string, number | boolean | string>>

/** How ours found the store. The real one tells nothing. */
export interface Recovery {
  readonly exit?: "clean" | "crash"
  readonly tornBytes?: number
  /** Where the log was dispatched again from, and what the index got of it. */
  readonly dispatchedFrom?: number
  readonly indexEntriesRebuilt?: number
}

let count = 0

export class Handle {
  readonly peer: Peer
  readonly recovery: Recovery
  readonly #store: string

  static async open(peer: Peer, directory: string, config: Config): Promise<Handle> {
    const store = String(count++)
    return new Handle(peer, store, await peer.request<Recovery>("open", { store, directory, config }))
  }

  private constructor(peer: Peer, store: string, recovery: Recovery) {
    this.peer = peer
    this.recovery = recovery
    this.#store = store
  }

  put(messages: ReadonlyArray<ScriptedMessage>): Promise<ReadonlyArray<PutOutcome>> {
    return this.#request("put", { messages })
  }

  /** Puts a client's batch. The real store answers once for all of it, so the places are taken from the ids. */
  async putBatch(messages: ReadonlyArray<ScriptedMessage>): Promise<ReadonlyArray<PutOutcome>> {
    const outcomes = await this.#request<ReadonlyArray<PutOutcome>>("putBatch", { messages })
    const [first] = outcomes
    if (first?.messageIds === undefined) {
      return outcomes
    }
    const positions = first.messageIds.split(",").map((id) => Number.parseInt(id.slice(-16), 16))
    return positions.map((position, index) => ({
      status: first.status,
      position,
      length: (positions[index + 1] ?? first.position + first.length) - position,
      queueOffset: first.queueOffset + index,
      storeTimestamp: first.storeTimestamp
    }))
  }

  /** Only ours: the real one is told of topics by a file. */
  setQueueType(topic: string, type: string): Promise<unknown> {
    return this.#request("setQueueType", { topic, type })
  }

  list(): Promise<Listing> {
    return this.#request("list", {})
  }

  get(requests: ReadonlyArray<GetRequest>): Promise<ReadonlyArray<GetAnswer>> {
    return this.#request("get", { requests })
  }

  /** Positions of the records that the index names for each key, as it answers. */
  query(requests: ReadonlyArray<QueryRequest>): Promise<ReadonlyArray<ReadonlyArray<number>>> {
    return this.#request("query", { requests })
  }

  offsetsByTime(requests: ReadonlyArray<TimeRequest>): Promise<ReadonlyArray<TimeAnswer>> {
    return this.#request("offsetsByTime", { requests })
  }

  async maxPosition(): Promise<number> {
    return (await this.#request<{ readonly maxPosition: number }>("settle", {})).maxPosition
  }

  close(): Promise<unknown> {
    return this.#request("close", {})
  }

  #request<A>(op: string, fields: Readonly<Record<string, unknown>>): Promise<A> {
    return this.peer.request<A>(op, { store: this.#store, ...fields })
  }
}
