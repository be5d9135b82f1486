/**
 * What an agent's runner does when a duty cycle found nothing to do.
 *
 * A strategy is data: it can be put into a configuration, printed, and sent to a worker. `park` is the default of every
 * runner: it answers within microseconds while there is work and costs almost nothing when there is none.
 *
 * | strategy | seen within | cost of an idle agent |
 * | --- | --- | --- |
 * | `busySpin` | under 1 µs in a worker | a whole core |
 * | `yielding` | a turn of the event loop, some µs | a whole core, given up to others on demand |
 * | `backoff` | 1 ms | 3 % of a core |
 * | `sleeping` | its time | by its time |
 * | `park` | 1 ms in the first 32 ms without work, then 1/32 of the time without work, 50 ms at most | 0.5 % of a core after 5 s without work |
 *
 * A packet or a wake ends every wait of a millisecond or more at once. Only what comes through shared memory, which has
 * no descriptor, is seen as late as the table says.
 *
 * **Example** (A strategy that is sent to a worker)
 *
 * ```ts
 * import * as IdleStrategy from "@millrace/core/IdleStrategy"
 *
 * structuredClone(IdleStrategy.park({ maxParkNs: 10_000_000 })) // => { _tag: "Park", minParkNs: 1_000_000, maxParkNs: 10_000_000 }
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { WAIT_NS_MAX } from "./agent/IdleStrategy.ts"

const Nanoseconds = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: WAIT_NS_MAX }))
const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))

/**
 * A description of an idle strategy. Times are nanoseconds, 100 ms at most.
 *
 * @category models
 * @since 0.1.0
 */
export const IdleStrategy = Schema.Union([
  Schema.TaggedStruct("BusySpin", {}),
  Schema.TaggedStruct("Yielding", {}),
  Schema.TaggedStruct("Sleeping", { sleepNs: Nanoseconds }),
  Schema.TaggedStruct("Backoff", {
    maxSpins: Count,
    maxYields: Count,
    minParkNs: Nanoseconds,
    maxParkNs: Nanoseconds
  }),
  Schema.TaggedStruct("Park", { minParkNs: Nanoseconds, maxParkNs: Nanoseconds })
])

/**
 * The type of `IdleStrategy`.
 *
 * @category models
 * @since 0.1.0
 */
export type IdleStrategy = typeof IdleStrategy.Type

/**
 * Runs the next duty cycle at once, always: a whole core for the lowest latency.
 *
 * **Gotchas**
 *
 * In a fiber every cycle without work gives the event loop a turn, so that the application lives on beside it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const busySpin: IdleStrategy = { _tag: "BusySpin" }

/**
 * Gives up the processor, or a turn of the event loop, after every cycle without work.
 *
 * @category constructors
 * @since 0.1.0
 */
export const yielding: IdleStrategy = { _tag: "Yielding" }

/**
 * Waits the same time after every cycle without work: `sleepNs` nanoseconds, 1 to 100,000,000.
 *
 * @category constructors
 * @since 0.1.0
 */
export const sleeping = (sleepNs: number): IdleStrategy => ({ _tag: "Sleeping", sleepNs })

/**
 * Spins, then gives the event loop turns, then waits for twice as long each time, as Aeron's strategy of this name does
 * with the same defaults: 10 spins, 20 yields (Aeron's are of the processor), 1 µs to 1 ms.
 *
 * @category constructors
 * @since 0.1.0
 */
export const backoff = (options?: {
  /** Cycles without work that are followed by the next at once. Default 10. */
  readonly maxSpins?: number
  /** Further cycles that give the event loop its turn. Default 20. */
  readonly maxYields?: number
  /** The first wait. Default 1,000 ns. */
  readonly minParkNs?: number
  /** The longest wait. Default 1,000,000 ns. */
  readonly maxParkNs?: number
}): IdleStrategy => ({
  _tag: "Backoff",
  maxSpins: options?.maxSpins ?? 10,
  maxYields: options?.maxYields ?? 20,
  minParkNs: options?.minParkNs ?? 1_000,
  maxParkNs: options?.maxParkNs ?? 1_000_000
})

/**
 * Backs off, then parks until a descriptor is ready, a wake comes, or its time is over; longer the longer there is no
 * work.
 *
 * @category constructors
 * @since 0.1.0
 */
export const park = (options?: {
  /** Where parking begins. Default 1,000,000 ns. */
  readonly minParkNs?: number
  /** The longest park, and so how late a message in shared memory may be seen. Default 50,000,000 ns. */
  readonly maxParkNs?: number
}): IdleStrategy => ({
  _tag: "Park",
  minParkNs: options?.minParkNs ?? 1_000_000,
  maxParkNs: options?.maxParkNs ?? 50_000_000
})
