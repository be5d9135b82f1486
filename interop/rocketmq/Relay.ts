/**
 * One store that passes from side to side. At each turn a side opens what the other one left, must find every message
 * and give the answers that the other one gave, puts more, and closes, or is killed.
 */
import type { Report } from "../Report.ts"
import * as Damage from "./Damage.ts"
import { type Config, Handle } from "./Handle.ts"
import { ADDED_PROPERTIES, type History, isQueued, spanOf } from "./History.ts"
import type { ListedMessage, Listing, ScriptedMessage } from "./Listing.ts"
import type { Peer } from "./Peer.ts"
import type { Step } from "./Script.ts"
import * as Snapshot from "./Snapshot.ts"

export interface RelayOptions {
  readonly report: Report
  readonly title: string
  readonly directory: string
  readonly config: Config
  readonly history: History
}

export interface Turn {
  readonly peer: Peer
  readonly steps: ReadonlyArray<Step>
  /** How the turn ends: the store is closed, or its process is killed when all is quiet. */
  readonly end: "close" | "kill"
  /** What happens to the files before they are opened. */
  readonly before?: Damage.Damage
  /** Messages that are put one behind the other while the process is killed, after so many answers. */
  readonly underFire?: { readonly messages: ReadonlyArray<ScriptedMessage>; readonly answers: number }
}

/** Of an entry of a batch consume queue; one of another queue has its place, tags code, and what its unit says. */
const BATCH_FIELDS = 8
const FILLER_TOPIC = "TopicFiller"

export class Relay {
  readonly #options: RelayOptions
  #turns = 0
  #last: Snapshot.NamedSnapshot | undefined = undefined
  #lastEnd: "close" | "kill" = "close"
  /** Messages that a killed side may or may not have stored. */
  #uncertain: ReadonlyArray<ScriptedMessage> = []
  /** Keys of messages from here on are in the index for sure. */
  #indexedFrom = 0

  constructor(options: RelayOptions) {
    this.#options = options
  }

  get directory(): string {
    return this.#options.directory
  }

  async turn(turn: Turn): Promise<void> {
    const { history, report, title } = this.#options
    const { before: damage, peer } = turn
    if (damage !== undefined) {
      Damage.inflict(damage, this.#options.directory, this.#options.config, history)
    }
    if (peer.name.startsWith("4.") && this.#lastEnd === "kill") {
      Damage.removeEmptyFiles(this.#options.directory)
    }
    const turnTitle = `${title}, turn ${this.#turns++}: ${peer.name}`
    const handle = await Handle.open(peer, this.#options.directory, this.#options.config)
    const listing = await handle.list()
    this.#adopt(listing)
    const before = await Snapshot.take(handle, history)
    this.#checkOpening(turnTitle, handle, before, damage)
    for (const step of turn.steps) {
      await this.#perform(handle, step)
    }
    const after = await Snapshot.take(handle, history)
    this.#checkContent(`${turnTitle} lists its own messages`, peer.name, after)
    this.#last = { name: peer.name, snapshot: after }
    this.#lastEnd = turn.end
    report.holds(
      `${turnTitle} took ${history.messages.length} messages in all`,
      after.listing.listedTo === after.listing.maxPosition,
      `the listing ends at ${after.listing.listedTo}, the store says ${after.listing.maxPosition}`
    )
    await this.#end(turn, handle)
  }

  #checkOpening(title: string, handle: Handle, found: Snapshot.Snapshot, damage: Damage.Damage | undefined): void {
    const { report } = this.#options
    const { peer, recovery } = handle
    const last = this.#last
    if (recovery.exit !== undefined) {
      const expected = this.#lastEnd === "close" ? "clean" : "crash"
      const actual = this.#turns === 1 ? expected : recovery.exit
      report.holds(
        `${title} knows how the last process ended`,
        actual === expected,
        `${recovery.exit}, not ${expected}`
      )
      const isTorn = damage === "last record torn"
      const torn = recovery.tornBytes ?? 0
      report.holds(`${title} cuts ${isTorn ? "the torn record" : "nothing"}`, torn > 0 === isTorn, `${torn} bytes`)
    }
    const isIndexRebuilt = (recovery.indexEntriesRebuilt ?? 0) > 0
    if (isIndexRebuilt) {
      // What the real store has dropped from the index after a crash is there again.
      this.#indexedFrom = Math.min(this.#indexedFrom, recovery.dispatchedFrom!)
    }
    if (recovery.exit === undefined && this.#lastEnd === "kill") {
      this.#indexedFrom = this.#indexedAfterCrash(peer.name, found.listing.maxPosition)
    }
    if (last === undefined) {
      return
    }
    this.#checkContent(`${title} lists what ${last.name} left`, peer.name, found)
    if (this.#lastEnd === "close" && damage === undefined) {
      Snapshot.compare(report, title, { name: peer.name, snapshot: found }, last, isIndexRebuilt)
    }
  }

  /**
   * After a crash the real store drops every file of the index that was not full by the checkpoint's time, and puts in
   * again what it dispatches again: the last file of the log for sure, and 5.5.1 nothing for sure.
   */
  #indexedAfterCrash(version: string, end: number): number {
    const fileLength = Number(this.#options.config["mappedFileSizeCommitLog"])
    return version === "5.5.1" ? end : Math.max(this.#indexedFrom, Math.floor(end / fileLength) * fileLength)
  }

  /** Everything that a listing says must be what the puts said. */
  #checkContent(title: string, name: string, { listing, queries }: Snapshot.Snapshot): void {
    const { history, report } = this.#options
    report.equal(
      `${title}: ${listing.messages.length} messages`,
      { name, value: listing.messages.map(fieldsOf) },
      { name: "put", value: history.messages.map(fieldsOf) }
    )
    report.equal(
      `${title}: ${listing.queues.length} queues`,
      { name, value: listing.queues.map(({ entries, ...queue }) => ({ ...queue, entries: entries.map(placeOf) })) },
      { name: "put", value: history.queues() }
    )
    if (listing.messages[0]?.isValid !== undefined) {
      this.#checkEntries(title, listing)
    }
    this.#checkQueries(title, name, queries)
  }

  /** The real store's check of each record, and the tags code that it would dispatch against that in the queue. */
  #checkEntries(title: string, listing: Listing): void {
    const { report } = this.#options
    const invalid = listing.messages.filter(({ isValid }) => isValid !== true).map(({ position }) => position)
    report.holds(`${title}: its check accepts every record`, invalid.length === 0, `not those at ${invalid.join(", ")}`)
    const codes = new Map(listing.messages.map(({ position, tagsCode }) => [position, tagsCode]))
    const batches = listing.queues.flatMap(({ entries }) => entries.filter(({ length }) => length === BATCH_FIELDS))
    const records = new Map(listing.messages.map((message) => [message.position, message]))
    report.equal(
      `${title}: fields of ${batches.length} batch entries`,
      { name: "queue", value: batches.map(([, , , ...rest]) => rest) },
      {
        name: "record",
        value: batches.map(([at]) => {
          const { properties, queueOffset, storeTimestamp } = records.get(at)!
          return [storeTimestamp, queueOffset, spanOf(properties), -1, 0]
        })
      }
    )
    this.#checkUnits(title, listing, records)
    report.equal(
      `${title}: tags codes of the queues`,
      { name: "queue", value: listing.queues.map(({ entries }) => entries.map(([, , code]) => code)) },
      { name: "record", value: listing.queues.map(({ entries }) => entries.map(([at]) => codes.get(at))) }
    )
  }

  /** With extended queues each entry has a unit, but for those of light queues. */
  #checkUnits(title: string, listing: Listing, records: ReadonlyMap<number, ListedMessage>): void {
    const { config, report } = this.#options
    if (config["enableConsumeQueueExt"] !== true) {
      return
    }
    const entries = listing.queues.flatMap((queue) => queue.entries)
    report.equal(
      `${title}: units of ${entries.length} entries`,
      { name: "unit", value: entries.map(([, , , storeTime]) => storeTime) },
      { name: "record", value: entries.map(([at]) => records.get(at)!.storeTimestamp) }
    )
    report.holds(
      `${title}: no unit belongs to two entries`,
      listing.queues.every(({ entries: own }) => new Set(own.map(([, , , , unitAt]) => unitAt)).size === own.length),
      "two entries lead to one unit"
    )
  }

  #checkQueries(title: string, name: string, queries: Snapshot.Snapshot["queries"]): void {
    const { history, report } = this.#options
    const actual: Record<string, ReadonlyArray<number>> = {}
    const expected: Record<string, ReadonlyArray<number>> = {}
    for (const { key, topic } of history.keys()) {
      const request = `${topic} ${key} 64 0`
      const answer = queries[request]
      if (answer !== undefined) {
        // Keys that were indexed twice, as they are after a crash, are answered twice.
        const positions = [...new Set(answer)].toSorted((a, b) => a - b)
        actual[request] = positions
        expected[request] = history
          .withKey(topic, key)
          .filter((position) => position >= this.#indexedFrom || positions.includes(position))
      }
    }
    report.equal(
      `${title}: ${Object.keys(actual).length} keys`,
      { name, value: actual },
      { name: "put", value: expected }
    )
  }

  /** Takes over what a killed side has stored without living to answer. */
  #adopt(listing: Listing): void {
    const { history } = this.#options
    const more = listing.messages.slice(history.messages.length, history.messages.length + this.#uncertain.length)
    history.add(
      this.#uncertain.slice(0, more.length),
      more.map(({ position, queueOffset, storeSize, storeTimestamp }) => {
        return { status: "PUT_OK", position, length: storeSize, queueOffset, storeTimestamp }
      })
    )
    this.#uncertain = []
  }

  async #perform(handle: Handle, step: Step): Promise<void> {
    if (step.kind === "put") {
      this.#note(step.messages, await handle.put(step.messages))
    } else if (step.kind === "batch") {
      this.#note(step.messages, await handle.putBatch(step.messages))
    } else {
      await this.#fill(handle, step.leave)
    }
  }

  /** Puts a record whose length leaves exactly so many bytes in its file. */
  async #fill(handle: Handle, leave: number): Promise<void> {
    const fileLength = Number(this.#options.config["mappedFileSizeCommitLog"])
    for (;;) {
      const [probe] = await this.#putFiller(handle, 0)
      const position = await handle.maxPosition()
      const bodyLength = fileLength - (position % fileLength) - leave - probe!.length
      if (bodyLength >= 0 && position % fileLength > 0) {
        await this.#putFiller(handle, bodyLength)
        return
      }
    }
  }

  async #putFiller(handle: Handle, bodyLength: number) {
    const message: ScriptedMessage = {
      topic: FILLER_TOPIC,
      queueId: 0,
      body: Buffer.alloc(bodyLength, 0x2e).toString("base64"),
      properties: {},
      flag: 0,
      sysFlag: 0,
      bornTimestamp: 1,
      bornHost: "10.1.2.3:1",
      storeHost: "10.1.2.3:2",
      reconsumeTimes: 0,
      preparedTransactionOffset: 0
    }
    const outcomes = await handle.put([message])
    this.#note([message], outcomes)
    return outcomes
  }

  #note(messages: ReadonlyArray<ScriptedMessage>, outcomes: Parameters<History["add"]>[1]): void {
    const refused = outcomes.find(({ status }) => status !== "PUT_OK")
    if (refused !== undefined || outcomes.length !== messages.length) {
      throw new Error(`a put was refused: ${JSON.stringify(refused ?? outcomes)} for ${JSON.stringify(messages[0])}`)
    }
    this.#options.history.add(messages, outcomes)
  }

  async #end({ end, peer, underFire }: Turn, handle: Handle): Promise<void> {
    if (end === "close") {
      await handle.close()
    } else if (underFire === undefined) {
      await peer.kill()
    } else {
      await this.#killUnderFire(handle, peer, underFire)
    }
  }

  async #killUnderFire(
    handle: Handle,
    peer: Peer,
    { answers, messages }: { readonly messages: ReadonlyArray<ScriptedMessage>; readonly answers: number }
  ): Promise<void> {
    const puts = messages.map((message) => handle.put([message]))
    const settled = Promise.allSettled(puts)
    await puts[answers - 1]
    await peer.kill()
    const outcomes = (await settled).flatMap((put) => (put.status === "fulfilled" ? put.value : []))
    this.#note(messages.slice(0, outcomes.length), outcomes)
    this.#uncertain = messages.slice(outcomes.length)
  }
}

const placeOf = ([position, size]: readonly [number, number, ...ReadonlyArray<number>]) => [position, size] as const

/** Fields that both a listing and a put can tell. */
const fieldsOf = ({ isValid: _isValid, properties, tagsCode: _tagsCode, ...fields }: ListedMessage) => ({
  ...fields,
  queueOffset: isQueued(fields.sysFlag) ? fields.queueOffset : 0,
  properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !ADDED_PROPERTIES.includes(name)))
})
