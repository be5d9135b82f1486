/**
 * Binary search among the entries of a queue. Fillers say nothing of where the search has to go, so each probe moves on
 * to the next entry that stands for a record.
 */
import { type ConsumeQueue, isFiller, type QueueEntry } from "./ConsumeQueue.ts"

const entry: QueueEntry = { position: 0, size: 0, tagsCode: 0 }

/**
 * Slot of the first real entry in [low, high) for which `holds` is true, `high` where there is none. Behind an entry
 * for which it is true it must be true for all.
 */
export const first = (
  queue: ConsumeQueue,
  low: number,
  high: number,
  holds: (entry: QueueEntry) => boolean
): number => {
  let found = high
  let from = low
  let to = high
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    const probe = nextReal(queue, middle, to)
    if (probe < to && !holds(entry)) {
      from = probe + 1
    } else {
      found = probe < to ? probe : found
      to = middle
    }
  }
  return found
}

/** Slot of the last real entry before `slot` and not before `low`; `low` where there is none. */
export const previousReal = (queue: ConsumeQueue, slot: number, low: number): number => {
  let at = slot - 1
  while (at > low && !isReal(queue, at)) {
    at--
  }
  return Math.max(low, at)
}

/** Slot of the first real entry in [slot, end), which `entry` then holds; `end` where there is none. */
const nextReal = (queue: ConsumeQueue, slot: number, end: number): number => {
  let at = slot
  while (at < end && !isReal(queue, at)) {
    at++
  }
  return at
}

const isReal = (queue: ConsumeQueue, slot: number): boolean => queue.readSlot(slot, entry) && !isFiller(entry)
