import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { CapacityExhausted, CoreError } from "../CoreError.ts"
import type { Counter, Readable, Writable } from "../Counters.ts"
import { AtomicCounter } from "../counters/AtomicCounter.ts"
import * as CountersDescriptor from "../counters/CountersDescriptor.ts"
import { type CounterAllocation, CountersManager } from "../counters/CountersManager.ts"
import { type CounterRecord, CountersReader } from "../counters/CountersReader.ts"
import type { Region } from "../memory/Region.ts"
import { attempt } from "./attempt.ts"

/** A region holds the metadata of all counters, then their values, as the two follow each other in a CnC file. */
const BYTES_PER_COUNTER = CountersDescriptor.METADATA_RECORD_LENGTH + CountersDescriptor.VALUE_RECORD_LENGTH

export const regionLength = (capacity: number): number => capacity * BYTES_PER_COUNTER

export const isValidLength = (length: number): boolean => length > 0 && length % BYTES_PER_COUNTER === 0

const windows = (region: Region) => {
  const metadataLength = (region.length / BYTES_PER_COUNTER) * CountersDescriptor.METADATA_RECORD_LENGTH
  return { metadata: region.buffer(0, metadataLength), values: region.buffer(metadataLength) }
}

export const makeReader = (region: Region): Readable => {
  const { metadata, values } = windows(region)
  return readable(new CountersReader(metadata, values))
}

export const makeWriter = Effect.fnUntraced(function* (
  region: Region,
  reuseTimeout: Duration.Input
): Effect.fn.Return<Writable, CoreError> {
  const clock = yield* Clock.Clock
  const manager = yield* attempt(() => {
    const { metadata, values } = windows(region)
    return new CountersManager(metadata, values, () => clock.currentTimeMillisUnsafe(), Duration.toMillis(reuseTimeout))
  })
  return { ...readable(manager), allocate: (allocation) => allocate(manager, allocation) }
})

const readable = (reader: CountersReader): Readable => {
  const list = attempt(() => {
    const counters: Array<CounterRecord> = []
    reader.forEach((counter) => counters.push(counter))
    return counters
  })
  return {
    capacity: reader.capacity,
    list,
    get: (id) => attempt(() => (id >= 0 && id < reader.capacity ? reader.read(id) : undefined)),
    find: (typeId, registrationId) =>
      attempt(() => {
        const id = reader.findByTypeIdAndRegistrationId(typeId, registrationId)
        return id === CountersDescriptor.NULL_COUNTER_ID ? undefined : reader.read(id)
      }),
    watch: (interval) => Stream.fromEffectSchedule(list, Schedule.spaced(interval ?? "1 second"))
  }
}

const allocate = (
  manager: CountersManager,
  allocation: CounterAllocation
): Effect.Effect<Counter, CoreError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.flatMap(
      attempt(() => manager.allocate(allocation)),
      (id) =>
        id === CountersDescriptor.NULL_COUNTER_ID
          ? Effect.fail(new CoreError({ reason: exhausted(manager) }))
          : Effect.succeed(counter(new AtomicCounter(manager.values, id)))
    ),
    ({ id }) =>
      Effect.sync(() => {
        // When the region went first there is nothing left to free.
        if (!manager.values.state.isClosed) {
          manager.free(id)
        }
      })
  )

const exhausted = (manager: CountersManager): CapacityExhausted =>
  new CapacityExhausted({ resource: `counters in ${manager.values.state.name}`, capacity: manager.capacity })

const counter = (unsafe: AtomicCounter): Counter => ({
  id: unsafe.id,
  unsafe,
  get: attempt(() => unsafe.get()),
  set: (value) => attempt(() => unsafe.set(value)),
  add: (delta) => attempt(() => unsafe.getAndAdd(delta) + delta)
})
