/**
 * One subscription of one client, held against the ledgers: of each image it sees what was offered, in order, once, from
 * where it joined, and with `reliable=true` all of it.
 */
import { FragmentBatch } from "@millrace/core/kernel/logbuffer/FragmentBatch"
import type { ImageReader } from "../../../transport/src/client/ImageReader.ts"
import type { SubscriptionImages } from "../../../transport/src/client/SubscriptionImages.ts"
import type { SeededRandom } from "../../../transport/src/simulation/SeededRandom.ts"
import { check, SimulationFailure } from "../SimulationFailure.ts"
import type { Trace } from "../Trace.ts"
import type { Ledger } from "./Ledger.ts"
import * as Payload from "./Payload.ts"
import type { StreamPlan } from "./Scenario.ts"

const BATCH_COUNT = 16
const BATCH_LENGTH_MAX = 32 * 1024

/** What a subscriber has of the run it is part of. */
export interface SubscriberRun {
  readonly trace: Trace
  /** Of a publisher. */
  readonly ledgerOf: (publisherId: number) => Ledger | undefined
  /** A failure found where nothing may be thrown. */
  readonly onFailure: (failure: SimulationFailure) => void
}

interface Borrowed {
  readonly image: ImageReader
  readonly untilNs: number
}

export class Subscriber {
  readonly id: number
  readonly plan: StreamPlan
  readonly isTether: boolean
  readonly subscription: SubscriptionImages
  readCount = 0
  /** Nothing is read before this time. */
  stalledUntilNs = 0
  private readonly run: SubscriberRun
  private readonly batch = new FragmentBatch(BATCH_COUNT)
  /** The last entry that each image gave. */
  private readonly imageIndexes = new Map<ImageReader, { readonly ledger: Ledger; index: number }>()
  /** The last entry of each stream, whichever image gave it. */
  private readonly lastIndexes = new Map<Ledger, number>()
  private borrowed: Borrowed | undefined = undefined

  constructor(id: number, plan: StreamPlan, isTether: boolean, subscription: SubscriptionImages, run: SubscriberRun) {
    this.id = id
    this.plan = plan
    this.isTether = isTether
    this.subscription = subscription
    this.run = run
    subscription.addListener({
      onAvailableImage: (image) => run.trace.note(1, id, image.sessionId, image.joinPosition),
      onUnavailableImage: (image) => this.onUnavailable(image)
    })
  }

  /** Reads once; sometimes what was read is kept for a while, and has to be the same at the end of it. */
  step(random: SeededRandom, nowNs: number): void {
    if (nowNs < this.stalledUntilNs || !this.giveBack(nowNs)) {
      return
    }
    const image = this.subscription.read(
      this.batch,
      random.between(1, BATCH_LENGTH_MAX),
      random.between(1, BATCH_COUNT)
    )
    if (image === undefined) {
      return
    }
    this.checkBatch(image)
    if (random.chance(0.05)) {
      this.borrowed = { image, untilNs: nowNs + random.between(0, 50e6) }
    } else {
      image.release()
    }
  }

  /** Reads everything there is. */
  drain(): void {
    this.giveBack(Infinity)
    for (;;) {
      const image = this.subscription.read(this.batch, BATCH_LENGTH_MAX)
      if (image === undefined) {
        return
      }
      this.checkBatch(image)
      image.release()
    }
  }

  /** Its driver takes the image away from all that read it. */
  onRejected(image: ImageReader): void {
    const ledger = this.imageIndexes.get(image)?.ledger
    if (ledger !== undefined) {
      ledger.isBroken = true
      ledger.isRejected = true
    }
  }

  hasReadAll(ledger: Ledger): boolean {
    return (this.lastIndexes.get(ledger) ?? -1) >= ledger.lastVisible
  }

  lastIndexOf(ledger: Ledger): number {
    return this.lastIndexes.get(ledger) ?? -1
  }

  /** False while it is kept on. */
  private giveBack(nowNs: number): boolean {
    const { borrowed } = this
    if (borrowed === undefined) {
      return true
    }
    if (nowNs < borrowed.untilNs) {
      return false
    }
    this.borrowed = undefined
    if (!borrowed.image.isClosed) {
      for (let index = 0; index < this.batch.count; index++) {
        check(
          Payload.read(this.batch.message(index)) !== undefined,
          "borrowed bytes stay",
          () => `subscriber ${this.id}: a message that was lent was overwritten`
        )
      }
      borrowed.image.release()
    }
    return true
  }

  private checkBatch(image: ImageReader): void {
    for (let index = 0; index < this.batch.count; index++) {
      this.checkMessage(image, this.batch.message(index), this.batch.positions[index]!)
    }
  }

  private checkMessage(image: ImageReader, message: Uint8Array<ArrayBufferLike>, position: number): void {
    const payload = Payload.read(message)
    const ledger = payload === undefined ? undefined : this.run.ledgerOf(payload.publisherId)
    if (payload === undefined || ledger === undefined) {
      throw this.failure("messages arrive as offered", `one of ${message.length} bytes was never offered`)
    }
    check(
      ledger.sessionId === image.sessionId && ledger.streamId === image.streamId,
      "streams are kept apart",
      () =>
        `subscriber ${this.id}: a message of session ${ledger.sessionId} is in an image of session ${image.sessionId}`
    )
    const index = ledger.indexOf(payload.publisherId, payload.number)
    const entry = ledger.entries[index]
    if (entry === undefined || entry.state !== "Offered") {
      throw this.failure("messages arrive as offered", `message ${payload.number} is ${entry?.state ?? "unknown"}`)
    }
    if (!Number.isNaN(entry.position) && entry.position !== position) {
      throw this.failure("positions are kept", `a message offered up to ${entry.position} arrived at ${position}`)
    }
    this.checkOrder(image, ledger, index)
    this.readCount++
    this.run.trace.note(2, this.id, image.sessionId, position)
  }

  private checkOrder(image: ImageReader, ledger: Ledger, index: number): void {
    const last = this.lastIndexes.get(ledger) ?? -1
    if (index <= last && !ledger.isRejected) {
      throw this.failure("once and in order", `entry ${index} came behind entry ${last}`)
    }
    this.lastIndexes.set(ledger, index)
    const ofImage = this.imageIndexes.get(image)
    if (ofImage === undefined) {
      this.imageIndexes.set(image, { ledger, index })
      this.checkFirst(image, ledger, index)
      return
    }
    if (ofImage.ledger !== ledger) {
      throw this.failure("streams are kept apart", "an image gave messages of two streams")
    }
    if (this.plan.isReliable && ledger.nextVisible(ofImage.index) !== index) {
      throw this.failure("no gaps", `entry ${index} came behind entry ${ofImage.index} of session ${ledger.sessionId}`)
    }
    ofImage.index = index
  }

  /** The first of an image is the first behind its join position. A join may be in the middle of a message. */
  private checkFirst(image: ImageReader, ledger: Ledger, index: number): void {
    let before = index - 1
    while (before >= 0 && ledger.entries[before]!.state === "Abandoned") {
      before--
    }
    const missed = ledger.entries[before]
    const isBehindJoin = missed !== undefined && missed.position - missed.framedLength >= image.joinPosition
    if (isBehindJoin && this.plan.isReliable) {
      throw this.failure(
        "no gaps",
        `image joined at ${image.joinPosition} and first gave entry ${index}, with one up to ${missed.position} before it`
      )
    }
  }

  private onUnavailable(image: ImageReader): void {
    this.run.trace.note(3, this.id, image.sessionId, image.position)
    const ofImage = this.imageIndexes.get(image)
    this.imageIndexes.delete(image)
    if (image.end === "Corrupt") {
      this.run.onFailure(
        this.failure("logs are sequences of frames", `image ${image.sessionId} at ${image.position} is corrupt`)
      )
    }
    if (image.end !== "EndOfStream" || ofImage === undefined || !this.plan.isReliable) {
      return
    }
    const { index, ledger } = ofImage
    if (!ledger.isBroken && index < ledger.lastVisible) {
      const detail = `entry ${index} of ${ledger.lastVisible} was the last read`
      this.run.onFailure(this.failure("an end of stream is the end", detail))
    }
  }

  private failure(name: string, detail: string): SimulationFailure {
    return new SimulationFailure(name, `subscriber ${this.id} of stream ${this.plan.streamId}: ${detail}`)
  }
}
