/**
 * Gives messages their offsets in the light queues that they name, during one pass of puts. What a pass that fails has
 * given is taken back.
 */
import * as MessageCheck from "../commitlog/MessageCheck.ts"
import type { MessageInput } from "../commitlog/MessageInput.ts"
import * as MessageProperties from "../commitlog/MessageProperties.ts"
import * as SysFlag from "../commitlog/SysFlag.ts"
import * as MultiDispatch from "./MultiDispatch.ts"
import type { QueueState, QueueTable } from "./QueueTable.ts"

/** As long as an offset can be: what the store adds must fit beside what the client has. */
const OFFSET_LONGEST = Number.MAX_SAFE_INTEGER

type Places = ReadonlyArray<{ readonly state: QueueState; readonly offset: number }>

const NONE: Places = []

export class LmqPlaces {
  /** Most light queues there may be. */
  readonly countMax: number
  readonly #queues: QueueTable
  /** By message of the pass. */
  readonly #given: Array<Places> = []
  #current: Places = NONE

  constructor(queues: QueueTable, countMax: number) {
    this.#queues = queues
    this.countMax = countMax
  }

  begin(): void {
    this.#given.length = 0
  }

  /** The message as it is stored: with its offsets. They count once it is accepted. */
  place(message: MessageInput): MessageInput {
    const names = namesOf(message)
    this.#current = names.length === 0 ? NONE : this.#placesOf(names)
    return names.length === 0
      ? message
      : withOffsets(message, (name) => this.#current.find(({ state }) => state.topic.name === name)!.offset)
  }

  accept(): void {
    this.#given.push(this.#current)
    for (const { offset, state } of this.#current) {
      state.nextOffset = offset + 1
    }
  }

  /** Takes back what was given to all but the first `count` messages of the pass. */
  takeBack(count: number): void {
    while (this.#given.length > count) {
      for (const { offset, state } of this.#given.pop()!) {
        state.nextOffset = offset
      }
    }
  }

  /** Checks the names, and with `check` the message as it would be stored. */
  check(message: MessageInput, check: (placed: MessageInput) => number): number {
    const names = namesOf(message)
    if (names.length === 0) {
      return MessageCheck.OK
    }
    if (names.some((name) => MessageCheck.checkTopic(name) !== MessageCheck.OK)) {
      return MessageCheck.LMQ_ILLEGAL
    }
    const fresh = new Set(names.filter((name) => !this.#queues.topics.has(name)))
    return fresh.size > 0 && this.#queues.lmqCount + fresh.size > this.countMax
      ? MessageCheck.LMQ_TOO_MANY
      : check(withOffsets(message, () => OFFSET_LONGEST))
  }

  #placesOf(names: ReadonlyArray<string>): Places {
    return [...new Set(names)].map((name) => {
      const state = this.#queues.queue(this.#queues.topic(name), MultiDispatch.LMQ_QUEUE_ID)
      return { state, offset: state.nextOffset }
    })
  }
}

const namesOf = ({ properties, sysFlag, topic }: MessageInput): ReadonlyArray<string> => {
  const value = properties?.[MessageProperties.INNER_MULTI_DISPATCH]
  const hasPlaces = SysFlag.hasQueueEntry(sysFlag ?? 0) && !SysFlag.isInnerBatch(sysFlag ?? 0)
  return value === undefined || !hasPlaces || !MultiDispatch.isDispatched(topic)
    ? []
    : MultiDispatch.namesOf(value).filter(MultiDispatch.isLmq)
}

/** The message with the property that says what offset it has in which light queue. */
const withOffsets = (message: MessageInput, offsetOf: (name: string) => number): MessageInput => {
  const names = MultiDispatch.namesOf(message.properties![MessageProperties.INNER_MULTI_DISPATCH]!)
  const offsets = names.map((name) => (MultiDispatch.isLmq(name) ? offsetOf(name) : undefined))
  const property = { [MessageProperties.INNER_MULTI_QUEUE_OFFSET]: MultiDispatch.offsetsText(offsets) }
  return { ...message, properties: { ...message.properties, ...property } }
}
