/**
 * Allocates and frees counters. One manager a pair of regions, used by one thread; anyone may read.
 *
 * A freed counter whose reuse delay is over is taken first, in the order of freeing; else the next id that was never
 * used. So ids stay small and the list of a reader short.
 */
import { assert } from "../memory/Assert.ts"
import type { AtomicBuffer } from "../memory/AtomicBuffer.ts"
import { AtomicCounter } from "./AtomicCounter.ts"
import * as CountersDescriptor from "./CountersDescriptor.ts"
import { CountersReader } from "./CountersReader.ts"

export interface CounterAllocation {
  readonly typeId: number
  /** Cut to 380 bytes of UTF-8, at a whole character. */
  readonly label: string
  /** Cut to 112 bytes. */
  readonly key?: Uint8Array<ArrayBufferLike>
  readonly value?: bigint
  readonly registrationId?: bigint
  readonly ownerId?: bigint
  readonly referenceId?: bigint
}

interface FreedCounter {
  readonly id: number
  readonly deadlineMs: number
}

const encoder = new TextEncoder()

export class CountersManager extends CountersReader {
  private readonly epochMs: () => number
  private readonly freeToReuseTimeoutMs: number
  private readonly freed: Array<FreedCounter> = []
  private highWaterMarkId = -1

  constructor(
    metadata: AtomicBuffer,
    values: AtomicBuffer,
    epochMs: () => number,
    freeToReuseTimeoutMs: number = CountersDescriptor.FREE_TO_REUSE_TIMEOUT_MS_DEFAULT
  ) {
    super(metadata, values)
    assert(freeToReuseTimeoutMs >= 0, "reuse timeout is negative")
    this.epochMs = epochMs
    this.freeToReuseTimeoutMs = freeToReuseTimeoutMs
  }

  /** Number of counters that could be allocated now. */
  get available(): number {
    const nowMs = this.epochMs()
    const reusable = this.freed.filter((counter) => nowMs >= counter.deadlineMs).length
    return this.capacity - this.highWaterMarkId - 1 + reusable
  }

  /** Allocates a counter and returns its id, or NULL_COUNTER_ID when there is no room. */
  allocate(allocation: CounterAllocation): number {
    const id = this.nextId()
    if (id === CountersDescriptor.NULL_COUNTER_ID) {
      return id
    }
    // The registration id goes first and the state last: `CountersReader.read` relies on this order.
    this.setRegistrationId(id, allocation.registrationId ?? 0n)
    this.setOwnerId(id, allocation.ownerId ?? 0n)
    this.setReferenceId(id, allocation.referenceId ?? 0n)
    this.setValue(id, allocation.value ?? 0n)

    const offset = CountersDescriptor.metadataOffset(id)
    this.metadata.int32[(offset + CountersDescriptor.TYPE_ID_OFFSET) >>> 2] = allocation.typeId
    this.storeDeadline(id, CountersDescriptor.NOT_FREE_TO_REUSE)
    if (allocation.key !== undefined) {
      this.metadata.bytes.set(
        allocation.key.subarray(0, CountersDescriptor.KEY_LENGTH_MAX),
        offset + CountersDescriptor.KEY_OFFSET
      )
    }
    this.putLabel(id, 0, allocation.label)
    this.storeStateRelease(id, CountersDescriptor.RECORD_ALLOCATED)
    return id
  }

  /** Allocates a counter and returns it ready to be counted with; undefined when there is no room. */
  newCounter(allocation: CounterAllocation): AtomicCounter | undefined {
    const id = this.allocate(allocation)
    return id === CountersDescriptor.NULL_COUNTER_ID ? undefined : new AtomicCounter(this.values, id)
  }

  /** Frees an allocated counter. Its value and label stay as they are until the record is used again. */
  free(counterId: number): void {
    assert(this.state(counterId) === CountersDescriptor.RECORD_ALLOCATED, "counter is not allocated")
    this.storeStateRelease(counterId, CountersDescriptor.RECORD_RECLAIMED)
    const keyOffset = CountersDescriptor.metadataOffset(counterId) + CountersDescriptor.KEY_OFFSET
    this.metadata.bytes.fill(0, keyOffset, keyOffset + CountersDescriptor.KEY_LENGTH_MAX)
    const deadlineMs = this.epochMs() + this.freeToReuseTimeoutMs
    this.storeDeadline(counterId, BigInt(deadlineMs))
    this.freed.push({ id: counterId, deadlineMs })
  }

  setValue(counterId: number, value: bigint): void {
    this.storeValueField(counterId, CountersDescriptor.VALUE_OFFSET, value)
  }

  setRegistrationId(counterId: number, registrationId: bigint): void {
    this.storeValueField(counterId, CountersDescriptor.REGISTRATION_ID_OFFSET, registrationId)
  }

  setOwnerId(counterId: number, ownerId: bigint): void {
    this.storeValueField(counterId, CountersDescriptor.OWNER_ID_OFFSET, ownerId)
  }

  setReferenceId(counterId: number, referenceId: bigint): void {
    this.storeValueField(counterId, CountersDescriptor.REFERENCE_ID_OFFSET, referenceId)
  }

  /** Replaces the label, cut to 380 bytes. */
  setLabel(counterId: number, label: string): void {
    this.checkId(counterId)
    this.putLabel(counterId, 0, label)
  }

  /** Adds to the label as much as its 380 bytes have room for. */
  appendToLabel(counterId: number, suffix: string): void {
    this.checkId(counterId)
    this.putLabel(counterId, this.labelLength(counterId), suffix)
  }

  private nextId(): number {
    this.checkId(0)
    if (this.freed.length > 0) {
      const nowMs = this.epochMs()
      const index = this.freed.findIndex((counter) => nowMs >= counter.deadlineMs)
      if (index >= 0) {
        return this.freed.splice(index, 1)[0]!.id
      }
    }
    if (this.highWaterMarkId + 1 >= this.capacity) {
      return CountersDescriptor.NULL_COUNTER_ID
    }
    this.highWaterMarkId++
    return this.highWaterMarkId
  }

  private putLabel(counterId: number, from: number, text: string): void {
    const offset = CountersDescriptor.metadataOffset(counterId)
    const start = offset + CountersDescriptor.LABEL_OFFSET + from
    const end = offset + CountersDescriptor.LABEL_OFFSET + CountersDescriptor.LABEL_LENGTH_MAX
    const { written } = encoder.encodeInto(text, this.metadata.bytes.subarray(start, end))
    // Release: a reader decodes as many bytes as the length says.
    Atomics.store(this.metadata.int32, (offset + CountersDescriptor.LABEL_LENGTH_OFFSET) >>> 2, from + written)
  }

  private storeValueField(counterId: number, fieldOffset: number, value: bigint): void {
    this.checkId(counterId)
    Atomics.store(this.values.int64, (CountersDescriptor.valueOffset(counterId) + fieldOffset) / 8, value)
  }

  private storeDeadline(counterId: number, deadlineMs: bigint): void {
    const offset = CountersDescriptor.metadataOffset(counterId) + CountersDescriptor.FREE_FOR_REUSE_DEADLINE_OFFSET
    Atomics.store(this.metadata.int64, offset / 8, deadlineMs)
  }

  private storeStateRelease(counterId: number, state: number): void {
    const offset = CountersDescriptor.metadataOffset(counterId) + CountersDescriptor.STATE_OFFSET
    Atomics.store(this.metadata.int32, offset >>> 2, state)
  }
}
