import { SlabAppender } from "../../src/logbuffer/SlabAppender.ts"
import { BufferClaim } from "../../src/logbuffer/BufferClaim.ts"
import { ExclusiveTermAppender } from "../../src/logbuffer/ExclusiveTermAppender.ts"
import type { MessageAppender } from "../../src/logbuffer/MessageAppender.ts"
import { TermAppender } from "../../src/logbuffer/TermAppender.ts"
import * as Peers from "../Peers.ts"
import * as LogStress from "./LogStress.ts"

/** Sends its messages in order, each as soon as the limit lets it. */
class Publisher {
  private readonly shared: LogStress.SharedLog
  private readonly plan: LogStress.PublisherPlan
  private readonly appender: MessageAppender
  private readonly batch: SlabAppender
  private readonly claim = new BufferClaim()
  private readonly source = new Uint8Array(LogStress.LENGTH_MAX * LogStress.BATCH_COUNT)
  private readonly view = new DataView(this.source.buffer)
  private readonly offsets = new Int32Array(LogStress.BATCH_COUNT)
  private readonly lengths = new Int32Array(LogStress.BATCH_COUNT)

  constructor(shared: LogStress.SharedLog, plan: LogStress.PublisherPlan) {
    this.shared = shared
    this.plan = plan
    this.appender = plan.isExclusive ? new ExclusiveTermAppender(shared.log) : new TermAppender(shared.log)
    this.batch = new SlabAppender(this.appender)
  }

  run(): number {
    const { messageCount, publisher, seed, way } = this.plan
    const nextLength = LogStress.lengths(seed, publisher, way === "batch")
    const choose = Peers.random(seed + publisher)
    for (let sequence = 0; sequence < messageCount; sequence++) {
      const length = nextLength()
      if (way === "batch") {
        this.addToBatch(sequence, length)
      } else if (way === "claim" && length <= this.appender.maxPayloadLength) {
        if (choose() % 4 === 0) {
          this.offer(() => this.appender.claim(length, this.claim))
          this.claim.abort()
        }
        this.offer(() => this.appender.claim(length, this.claim))
        LogStress.encode(
          this.claim.buffer.bytes,
          this.claim.buffer.view,
          this.claim.offset,
          length,
          publisher,
          sequence
        )
        this.claim.commit()
      } else {
        LogStress.encode(this.source, this.view, 0, length, publisher, sequence)
        this.offer(() => this.appender.append(this.source, 0, length))
      }
    }
    return messageCount
  }

  /** Every second batch goes from a slab, every other is encoded in place. */
  private addToBatch(sequence: number, length: number): void {
    const index = sequence % LogStress.BATCH_COUNT
    this.lengths[index] = length
    this.offsets[index] = index === 0 ? 0 : this.offsets[index - 1]! + this.lengths[index - 1]!
    LogStress.encode(this.source, this.view, this.offsets[index], length, this.plan.publisher, sequence)
    if (index === LogStress.BATCH_COUNT - 1) {
      this.offer(() => this.batch.appendSlab(this.source, this.offsets, this.lengths, 0, LogStress.BATCH_COUNT))
    }
  }

  private offer(append: () => number): void {
    for (;;) {
      const position = this.appender.position()
      if (position >= this.shared.limit) {
        Peers.pause()
      } else if (position >= 0 && append() >= 0) {
        return
      }
    }
  }
}

Peers.peer<LogStress.PublisherPlan>((region, plan) => new Publisher(LogStress.SharedLog.open(region), plan).run())
