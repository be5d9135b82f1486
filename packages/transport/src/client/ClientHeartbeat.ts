/**
 * The counter by which the driver sees that this client lives. The driver makes it with the client's first command, so
 * there is none before, and it must be there ever after.
 */
import { AtomicCounter } from "@millrace/core/kernel/counters/AtomicCounter"
import * as CountersDescriptor from "@millrace/core/kernel/counters/CountersDescriptor"
import type { CountersReader } from "@millrace/core/kernel/counters/CountersReader"

const TYPE_ID = 11

const encoder = new TextEncoder()

export class ClientHeartbeat {
  private readonly counters: CountersReader
  private readonly clientId: bigint
  private readonly labelSuffix: string
  private counter: AtomicCounter | undefined = undefined

  constructor(counters: CountersReader, clientId: bigint, labelSuffix: string) {
    this.counters = counters
    this.clientId = clientId
    this.labelSuffix = labelSuffix
  }

  /** Writes the time. False when the counter was there and is gone: the driver has forgotten this client. */
  beat(nowMs: number): boolean {
    if (this.counter === undefined) {
      const id = this.counters.findByTypeIdAndRegistrationId(TYPE_ID, this.clientId)
      if (id === CountersDescriptor.NULL_COUNTER_ID) {
        return true
      }
      this.counter = new AtomicCounter(this.counters.values, id)
      this.appendToLabel(id)
    }
    if (!this.isMine(this.counter.id)) {
      return false
    }
    this.counter.setRelease(nowMs)
    return true
  }

  private isMine(counterId: number): boolean {
    return (
      this.counters.state(counterId) === CountersDescriptor.RECORD_ALLOCATED &&
      this.counters.registrationId(counterId) === this.clientId
    )
  }

  /** Aeron's clients put their name and version behind the label that the driver wrote. */
  private appendToLabel(counterId: number): void {
    const { metadata } = this.counters
    const offset = CountersDescriptor.metadataOffset(counterId)
    const lengthIndex = (offset + CountersDescriptor.LABEL_LENGTH_OFFSET) >>> 2
    const length = Atomics.load(metadata.int32, lengthIndex)
    if (length < 0 || length > CountersDescriptor.LABEL_LENGTH_MAX) {
      return
    }
    const start = offset + CountersDescriptor.LABEL_OFFSET + length
    const end = offset + CountersDescriptor.LABEL_OFFSET + CountersDescriptor.LABEL_LENGTH_MAX
    const { written } = encoder.encodeInto(this.labelSuffix, metadata.bytes.subarray(start, end))
    Atomics.store(metadata.int32, lengthIndex, length + written)
  }
}
