/** Positions never go back: every position counter of a driver is looked at again and again. */
import * as CountersDescriptor from "@millrace/core/kernel/counters/CountersDescriptor"
import type { CountersReader } from "@millrace/core/kernel/counters/CountersReader"
import {
  PUBLISHER_POSITION_TYPE_ID,
  RECEIVER_HWM_TYPE_ID,
  RECEIVER_POSITION_TYPE_ID,
  SENDER_LIMIT_TYPE_ID,
  SENDER_POSITION_TYPE_ID,
  SUBSCRIBER_POSITION_TYPE_ID
} from "../../../transport/src/driver/StreamCounters.ts"
import { check } from "../SimulationFailure.ts"

/** The publisher limit is not among them: a publication without receivers takes it back to the sender position. */
const MONOTONIC: ReadonlySet<number> = new Set([
  SENDER_POSITION_TYPE_ID,
  RECEIVER_HWM_TYPE_ID,
  SUBSCRIBER_POSITION_TYPE_ID,
  RECEIVER_POSITION_TYPE_ID,
  SENDER_LIMIT_TYPE_ID,
  PUBLISHER_POSITION_TYPE_ID
])

interface Seen {
  readonly registrationId: bigint
  readonly referenceId: bigint
  readonly typeId: number
  value: bigint
}

export class PositionCheck {
  private readonly counters: CountersReader
  private readonly seen: Array<Seen | undefined> = []

  constructor(counters: CountersReader) {
    this.counters = counters
  }

  look(): void {
    const { counters, seen } = this
    for (let id = 0; id < counters.capacity; id++) {
      const state = counters.state(id)
      if (state === CountersDescriptor.RECORD_UNUSED) {
        return
      }
      const typeId = counters.typeId(id)
      if (state === CountersDescriptor.RECORD_ALLOCATED && MONOTONIC.has(typeId)) {
        this.compare(id, typeId)
      } else {
        seen[id] = undefined
      }
    }
  }

  private compare(id: number, typeId: number): void {
    const { counters } = this
    const value = counters.value(id)
    const registrationId = counters.registrationId(id)
    const referenceId = counters.referenceId(id)
    const before = this.seen[id]
    const isSame =
      before?.registrationId === registrationId && before.typeId === typeId && before.referenceId === referenceId
    if (isSame) {
      check(
        value >= before.value,
        "positions never go back",
        () => `counter ${id} (${counters.label(id)}) went from ${before.value} to ${value}`
      )
      before.value = value
    } else {
      this.seen[id] = { registrationId, referenceId, typeId, value }
    }
  }
}
