/**
 * The id that a client of RocketMQ gives a message (its msgId, property `UNIQ_KEY`), in upper-case hex:
 *
 *     0          4 or 16     +2          +4              +4          +2
 *     +----------+-----------+-----------+---------------+-----------+
 *     | address  | pid       | random    | ms of month   | counter   |
 *     +----------+-----------+-----------+---------------+-----------+
 *
 * Milliseconds count from the beginning of the month, local time. Where RocketMQ puts the hash of a class loader four
 * random bytes stand: programs in containers often have one address and one pid.
 */

const PID_LENGTH = 2
const RANDOM_LENGTH = 4
const TIME_LENGTH = 4
const COUNTER_LENGTH = 2

const PID_MASK = 0xffff
const COUNTER_MASK = 0xffff

const hex = (value: number, length: number): string => value.toString(16).padStart(2 * length, "0")

const monthStartOf = (epochMs: number): number => {
  const date = new Date(epochMs)
  return new Date(date.getFullYear(), date.getMonth(), 1).getTime()
}

interface Origin {
  /** 4 bytes, or 16. */
  readonly address: Uint8Array
  readonly pid: number
  /** Tells processes apart that have one address and one pid. */
  readonly random: number
}

/** Ids of one process: no two of them are equal unless it makes more than 65,536 in a millisecond. */
export class UniqueKeys {
  readonly #prefix: string
  #counter = 0

  constructor({ address, pid, random }: Origin) {
    const start = Array.from(address, (byte) => hex(byte, 1)).join("")
    this.#prefix = `${start}${hex(pid & PID_MASK, PID_LENGTH)}${hex(random >>> 0, RANDOM_LENGTH)}`
  }

  next(epochMs: number): string {
    const sinceMonth = epochMs - monthStartOf(epochMs)
    const counter = this.#counter
    this.#counter = (counter + 1) & COUNTER_MASK
    return `${this.#prefix}${hex(sinceMonth, TIME_LENGTH)}${hex(counter, COUNTER_LENGTH)}`.toUpperCase()
  }
}
