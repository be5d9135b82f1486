/** One publication of one client, and what it offers: every way to publish, each message noted in the ledger. */
import { BufferClaim } from "@millrace/core/kernel/logbuffer/BufferClaim"
import { computeFramedLength } from "@millrace/core/kernel/logbuffer/MessageWriter"
import type { ClientPublication } from "../../../transport/src/client/ClientPublication.ts"
import type { SeededRandom } from "../../../transport/src/simulation/SeededRandom.ts"
import { SimulationFailure } from "../SimulationFailure.ts"
import type { EntryState, Ledger, LedgerEntry } from "./Ledger.ts"
import * as Payload from "./Payload.ts"
import type { StreamPlan } from "./Scenario.ts"

/** A claim that is held longer is given up by the driver. */
const CLAIM_HELD_NS_MAX = 2e9
const BATCH_MAX = 12

interface OpenClaim {
  readonly claim: BufferClaim
  readonly entry: LedgerEntry
  readonly sinceNs: number
}

export class Publisher {
  readonly id: number
  readonly plan: StreamPlan
  readonly publication: ClientPublication
  readonly ledger: Ledger
  private nextNumber = 0
  private open: OpenClaim | undefined = undefined
  private readonly scratch = Buffer.alloc(64 * 1024)

  constructor(id: number, plan: StreamPlan, publication: ClientPublication, ledger: Ledger) {
    this.id = id
    this.plan = plan
    this.publication = publication
    this.ledger = ledger
  }

  step(random: SeededRandom, nowNs: number): void {
    if (this.open !== undefined && (random.chance(0.3) || nowNs - this.open.sinceNs > CLAIM_HELD_NS_MAX)) {
      this.settle(random.chance(0.8))
    }
    if (this.publication.isExclusive && this.open !== undefined) {
      // The one writer of a log does not append behind its own open claim.
      return
    }
    switch (random.below(6)) {
      case 0:
        this.offerMany(random)
        break
      case 1:
        this.claim(random, nowNs)
        break
      case 2:
        this.offerParts(random)
        break
      default:
        this.offer(random)
    }
  }

  /** One message of the least length. False when it was not taken. */
  offerLast(): boolean {
    return this.offerOne(Payload.LENGTH_MIN, (length) => this.publication.offer(this.scratch, 0, length))
  }

  /** Commits or aborts what is claimed. */
  settle(isCommitted: boolean): void {
    const { open } = this
    if (open === undefined) {
      return
    }
    this.open = undefined
    if (isCommitted) {
      open.claim.commit()
      open.entry.state = "Offered"
    } else {
      open.claim.abort()
      open.entry.state = "Abandoned"
    }
  }

  onClosed(isRevoked: boolean): void {
    this.ledger.isBroken ||= isRevoked
  }

  /** The process is gone: what it had claimed nobody commits any more. */
  die(): void {
    if (this.open !== undefined) {
      this.open.entry.state = "Abandoned"
      this.open = undefined
    }
  }

  private lengthOf(random: SeededRandom, max: number): number {
    return random.between(Payload.LENGTH_MIN, Math.max(Payload.LENGTH_MIN, Math.min(this.plan.messageLengthMax, max)))
  }

  private offer(random: SeededRandom): void {
    this.offerOne(this.lengthOf(random, this.publication.maxMessageLength), (length) =>
      this.publication.offer(this.scratch, 0, length)
    )
  }

  private offerParts(random: SeededRandom): void {
    this.offerOne(this.lengthOf(random, this.publication.maxMessageLength), (length) => {
      const cut = random.below(length)
      return this.publication.offerParts([this.scratch.subarray(0, cut), this.scratch.subarray(cut, length)])
    })
  }

  private offerOne(length: number, offer: (length: number) => number): boolean {
    Payload.write(this.scratch, 0, length, this.id, this.nextNumber)
    const position = offer(length)
    this.checkResult(position)
    if (position >= 0) {
      this.note(length, position, "Offered")
    }
    return position >= 0
  }

  private offerMany(random: SeededRandom): void {
    const count = random.between(1, BATCH_MAX)
    const messages: Array<Uint8Array> = []
    for (let index = 0; index < count; index++) {
      const message = new Uint8Array(this.lengthOf(random, this.publication.maxPayloadLength))
      Payload.write(message, 0, message.length, this.id, this.nextNumber + index)
      messages.push(message)
    }
    const position = this.publication.offerMany(messages, 0)
    this.checkResult(position)
    const accepted = position < 0 ? 0 : this.publication.acceptedCount
    for (let index = 0; index < accepted; index++) {
      this.note(messages[index]!.length, index === accepted - 1 ? position : Number.NaN, "Offered")
    }
  }

  private claim(random: SeededRandom, nowNs: number): void {
    if (this.open !== undefined) {
      return
    }
    const claim = new BufferClaim()
    const length = this.lengthOf(random, this.publication.maxPayloadLength)
    const position = this.publication.tryClaim(length, claim)
    this.checkResult(position)
    if (position >= 0) {
      Payload.write(claim.buffer.bytes, claim.offset, length, this.id, this.nextNumber)
      this.open = { claim, entry: this.note(length, position, "Claimed"), sinceNs: nowNs }
    }
  }

  private note(length: number, position: number, state: EntryState): LedgerEntry {
    const framedLength = computeFramedLength(length, this.publication.maxPayloadLength)
    return this.ledger.add({ publisherId: this.id, number: this.nextNumber++, position, framedLength, state })
  }

  private checkResult(position: number): void {
    if (position < -4) {
      throw new SimulationFailure("offers are answered", `publisher ${this.id} was answered ${position}`)
    }
  }
}
