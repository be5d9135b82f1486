/**
 * Reads the counters of another process, or of this one. Nothing it returns is a view of shared memory.
 *
 * A counter may be freed and its record used again while it is read. Whoever keeps an id keeps the registration id
 * too and compares; `read` does so for the time of its own reading.
 */
import { assert } from "../memory/Assert.ts"
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import * as Fence from "../memory/Fence.ts"
import * as Int64 from "../memory/Int64.ts"
import { assertOpen } from "../memory/RegionState.ts"
import { CorruptRecord } from "../ringbuffer/CorruptRecord.ts"
import * as CountersDescriptor from "./CountersDescriptor.ts"

/** One allocated counter, as it was at one moment. */
export interface CounterRecord {
  readonly id: number
  readonly typeId: number
  readonly value: bigint
  readonly registrationId: bigint
  readonly ownerId: bigint
  readonly referenceId: bigint
  /** All 112 bytes. Bytes after the part that the type defines may hold anything. */
  readonly key: Uint8Array
  readonly label: string
}

/** A record that changes hands this often during one read is not waited for. */
const READ_ATTEMPTS_MAX = 100

const decoder = new TextDecoder()

export class CountersReader {
  readonly metadata: AtomicBuffer
  readonly values: AtomicBuffer
  /** Number of counters there is room for. */
  readonly capacity: number

  constructor(metadata: AtomicBuffer, values: AtomicBuffer) {
    assertOpen(metadata.state)
    assertOpen(values.state)
    this.metadata = metadata
    this.values = values
    this.capacity = CountersDescriptor.capacity(metadata, values)
  }

  /** RECORD_UNUSED, RECORD_ALLOCATED or RECORD_RECLAIMED. */
  state(counterId: number): number {
    this.checkId(counterId)
    const offset = CountersDescriptor.metadataOffset(counterId) + CountersDescriptor.STATE_OFFSET
    return Atomics.load(this.metadata.int32, offset >>> 2)
  }

  typeId(counterId: number): number {
    this.checkId(counterId)
    return this.metadata.int32[
      (CountersDescriptor.metadataOffset(counterId) + CountersDescriptor.TYPE_ID_OFFSET) >>> 2
    ]!
  }

  /** Any value, exactly. */
  value(counterId: number): bigint {
    return this.loadValueField(counterId, CountersDescriptor.VALUE_OFFSET)
  }

  /** The value of a counter that only grows: a position, or a count below 2^53. */
  position(counterId: number): number {
    this.checkId(counterId)
    return Int64.loadMonotonic(this.values, CountersDescriptor.valueOffset(counterId) + CountersDescriptor.VALUE_OFFSET)
  }

  registrationId(counterId: number): bigint {
    return this.loadValueField(counterId, CountersDescriptor.REGISTRATION_ID_OFFSET)
  }

  ownerId(counterId: number): bigint {
    return this.loadValueField(counterId, CountersDescriptor.OWNER_ID_OFFSET)
  }

  referenceId(counterId: number): bigint {
    return this.loadValueField(counterId, CountersDescriptor.REFERENCE_ID_OFFSET)
  }

  /** When a freed counter may be used again, in epoch milliseconds; NOT_FREE_TO_REUSE while it is in use. */
  freeForReuseDeadlineMs(counterId: number): bigint {
    this.checkId(counterId)
    const offset = CountersDescriptor.metadataOffset(counterId) + CountersDescriptor.FREE_FOR_REUSE_DEADLINE_OFFSET
    return Atomics.load(this.metadata.int64, offset / 8)
  }

  label(counterId: number): string {
    this.checkId(counterId)
    const offset = CountersDescriptor.metadataOffset(counterId)
    const length = this.labelLength(counterId)
    const start = offset + CountersDescriptor.LABEL_OFFSET
    return decoder.decode(this.metadata.bytes.slice(start, start + length))
  }

  /** A copy of the key. */
  key(counterId: number): Uint8Array {
    this.checkId(counterId)
    const start = CountersDescriptor.metadataOffset(counterId) + CountersDescriptor.KEY_OFFSET
    return this.metadata.bytes.slice(start, start + CountersDescriptor.KEY_LENGTH_MAX)
  }

  /** One counter with all its fields belonging together; undefined when it is not allocated. */
  read(counterId: number): CounterRecord | undefined {
    for (let attempt = 0; attempt < READ_ATTEMPTS_MAX; attempt++) {
      // An allocation stores the registration id first and the state last: reading the two in this order, and the id
      // once more at the end, leaves no moment at which the fields in between could be of two counters.
      const registrationId = this.registrationId(counterId)
      if (this.state(counterId) !== CountersDescriptor.RECORD_ALLOCATED) {
        return undefined
      }
      const record = {
        id: counterId,
        typeId: this.typeId(counterId),
        value: this.value(counterId),
        registrationId,
        ownerId: this.ownerId(counterId),
        referenceId: this.referenceId(counterId),
        key: this.key(counterId),
        label: this.label(counterId)
      }
      Fence.loads()
      if (
        this.state(counterId) === CountersDescriptor.RECORD_ALLOCATED &&
        this.registrationId(counterId) === registrationId
      ) {
        return record
      }
    }
    return undefined
  }

  /** Hands every allocated counter to `consumer`, in the order of ids; returns how many there were. */
  forEach(consumer: (counter: CounterRecord) => void): number {
    let count = 0
    for (let id = 0; id < this.capacity && this.state(id) !== CountersDescriptor.RECORD_UNUSED; id++) {
      const counter = this.read(id)
      if (counter !== undefined) {
        count++
        consumer(counter)
      }
    }
    return count
  }

  /** Id of the first counter with this registration id, or NULL_COUNTER_ID. */
  findByRegistrationId(registrationId: bigint): number {
    return this.find((id) => this.registrationId(id) === registrationId)
  }

  /** Id of the first counter with this type and registration id, or NULL_COUNTER_ID. */
  findByTypeIdAndRegistrationId(typeId: number, registrationId: bigint): number {
    return this.find((id) => this.typeId(id) === typeId && this.registrationId(id) === registrationId)
  }

  protected checkId(counterId: number): void {
    assertOpen(this.metadata.state)
    assertOpen(this.values.state)
    assert(Number.isInteger(counterId), "counter id is not an integer")
    assert(counterId >= 0 && counterId < this.capacity, "counter id is out of range")
  }

  /** Length of the label, which anyone with the file may have written over. */
  protected labelLength(counterId: number): number {
    const offset = CountersDescriptor.metadataOffset(counterId) + CountersDescriptor.LABEL_LENGTH_OFFSET
    const length = Atomics.load(this.metadata.int32, offset >>> 2)
    if (length < 0 || length > CountersDescriptor.LABEL_LENGTH_MAX) {
      throw new CorruptRecord(
        "counters",
        this.metadata.state.name,
        "label length",
        offset,
        length,
        CountersDescriptor.LABEL_LENGTH_MAX
      )
    }
    return length
  }

  private loadValueField(counterId: number, fieldOffset: number): bigint {
    this.checkId(counterId)
    return Atomics.load(this.values.int64, (CountersDescriptor.valueOffset(counterId) + fieldOffset) / 8)
  }

  private find(matches: (counterId: number) => boolean): number {
    for (let id = 0; id < this.capacity; id++) {
      const state = this.state(id)
      if (state === CountersDescriptor.RECORD_UNUSED) {
        break
      }
      if (state === CountersDescriptor.RECORD_ALLOCATED && matches(id)) {
        return id
      }
    }
    return CountersDescriptor.NULL_COUNTER_ID
  }
}
