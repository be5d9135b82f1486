/**
 * Live messages that wait until the replay of their session has come to where they begin. They are bounded in bytes, all
 * sessions together.
 *
 * ```
 *                       delivered              begin                last
 *   recording  ───────────┤ · · · · · · · · · · · ·
 *   live                                         ├──── waiting ──────┤ · · ·
 * ```
 *
 * The messages of a session lie one behind the other, without a hole between the first and the last: what is discarded is
 * discarded from the front. So a session whose first message begins at or before `delivered` goes on from here, and
 * any other from its recording.
 */

/** A message as it came live. */
export interface LiveMessage {
  readonly payload: Uint8Array
  readonly streamId: number
  readonly sessionId: number
  readonly startPosition?: number | undefined
  readonly position: number
}

interface Waiting<M> {
  readonly message: M
  /** Where it begins: where it says, or behind the live message before it; Infinity where neither is known. */
  readonly begin: number
}

export class LiveWindow {
  bytes = 0
  readonly bytesMax: number

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
  }

  /** Whether a message may wait here. One alone may, whatever its length. */
  fits({ payload }: LiveMessage): boolean {
    return this.bytes === 0 || this.bytes + costOf(payload) <= this.bytesMax
  }
}

/** What a message costs besides its payload, so that empty ones are bounded too. */
const MESSAGE_COST = 64

const costOf = (payload: Uint8Array): number => payload.length + MESSAGE_COST

export class LiveSession<M extends LiveMessage> {
  readonly #window: LiveWindow
  #waiting: Array<Waiting<M>> = []
  #first = 0
  /** Behind the last live message, waiting or not; undefined before the first. */
  lastPosition: number | undefined = undefined

  constructor(window: LiveWindow) {
    this.#window = window
  }

  get count(): number {
    return this.#waiting.length - this.#first
  }

  /** Where the first message that waits begins. */
  get begin(): number {
    return this.#waiting[this.#first]?.begin ?? Number.POSITIVE_INFINITY
  }

  get first(): M | undefined {
    return this.#waiting[this.#first]?.message
  }

  /** A message comes. One that was delivered already does not wait. */
  add(message: M, delivered: number | undefined): void {
    const begin = message.startPosition ?? this.lastPosition ?? Number.POSITIVE_INFINITY
    this.lastPosition = message.position
    if (message.position > (delivered ?? -1)) {
      this.#waiting.push({ message, begin })
      this.#window.bytes += costOf(message.payload)
    }
  }

  /** Removes the messages up to a position from the front, as long as more than `bytes` wait in all. */
  discardTo(position: number, bytes: number = -1): void {
    for (let { first } = this; first !== undefined && first.position <= position; { first } = this) {
      if (this.#window.bytes <= bytes) {
        return
      }
      this.#shift(first)
    }
  }

  /** Whether the live stream has, or will bring, everything behind `delivered`. */
  goesOnFrom(delivered: number | undefined): boolean {
    if (delivered === undefined || this.lastPosition === undefined) {
      return false
    }
    return this.count > 0 ? this.begin <= delivered : this.lastPosition <= delivered
  }

  /** Moves up to `countMax` messages that follow each other from `delivered` on to `into`. @returns behind the last */
  take(delivered: number, countMax: number, into: Array<M>): number {
    let position = delivered
    this.discardTo(position)
    for (let { first } = this; first !== undefined && into.length < countMax; { first } = this) {
      if (this.begin > position) {
        break
      }
      into.push(first)
      position = first.position
      this.#shift(first)
    }
    return position
  }

  #shift({ payload }: M): void {
    this.#window.bytes -= costOf(payload)
    this.#waiting[this.#first] = undefined!
    this.#first++
    if (this.#first === this.#waiting.length) {
      this.#waiting = []
      this.#first = 0
    } else if (this.#first > COMPACT_AT && 2 * this.#first > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#first)
      this.#first = 0
    }
  }
}

/** Places of messages that are gone before the array is made shorter. */
const COMPACT_AT = 1024
