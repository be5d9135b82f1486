/**
 * Messages that stand in further queues beside their own (`enableMultiDispatch` with `enableLmq`): light queues, whose
 * names begin with %LMQ% and whose queue id is 0. A message names them, separated by commas; the store adds the offset
 * that it gets in each, in the same order, nothing for a name that is no light queue.
 */
import * as MessageProperties from "../commitlog/MessageProperties.ts"
import type { RecordCursor } from "../commitlog/RecordCursor.ts"
import * as Utf8 from "../commitlog/Utf8.ts"

const PREFIX = "%LMQ%"
export const LMQ_QUEUE_ID = 0
const SEPARATOR = ","
/** Topics whose messages are not dispatched further, whatever they name. */
const EXCLUDED_PREFIXES: ReadonlyArray<string> = ["%RETRY%", "rmq_sys_"]
const EXCLUDED = "SCHEDULE_TOPIC_XXXX"

/** A queue is a directory. */
const NAME_LENGTH_MAX = 255
const NAMES = Utf8.encode(MessageProperties.INNER_MULTI_DISPATCH)
const OFFSETS = Utf8.encode(MessageProperties.INNER_MULTI_QUEUE_OFFSET)

export const isLmq = (topic: string): boolean => topic.startsWith(PREFIX)

/** Whether messages of a topic may name further queues. */
export const isDispatched = (topic: string): boolean =>
  topic !== EXCLUDED && !EXCLUDED_PREFIXES.some((prefix) => topic.startsWith(prefix))

/** Names of queues in the order of the property; other names than those of light queues are among them. */
export const namesOf = (value: string): ReadonlyArray<string> => value.split(SEPARATOR)

/** The property that says which offset the message got in which queue; undefined stands for a name without one. */
export const offsetsText = (offsets: ReadonlyArray<number | undefined>): string =>
  offsets.map((offset) => offset ?? "").join(SEPARATOR)

/** Calls `visit` for each further queue of a record, with the offset that the record has in it. */
export const forEach = (record: RecordCursor, visit: (queue: string, offset: number) => void): void => {
  const names = record.property(NAMES)
  const offsets = names === undefined ? undefined : record.property(OFFSETS)
  if (names === undefined || offsets === undefined || !isDispatched(record.topic)) {
    return
  }
  const texts = offsets.split(SEPARATOR)
  namesOf(names).forEach((name, index) => {
    const text = texts[index] ?? ""
    if (isLmq(name) && isName(name) && /^\d{1,15}$/.test(text)) {
      visit(name, Number(text))
    }
  })
}

/** What is read may claim to stand in a queue of any name. */
const isName = (name: string): boolean =>
  !name.includes("/") && !name.includes("\u0000") && Utf8.encode(name).length <= NAME_LENGTH_MAX

/** Whether a record says that it stands at `offset` of a light queue. */
export const has = (record: RecordCursor, queue: string, offset: number): boolean => {
  let found = false
  forEach(record, (name, itsOffset) => {
    found ||= name === queue && itsOffset === offset
  })
  return found
}
