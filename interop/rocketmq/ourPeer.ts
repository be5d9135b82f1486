/**
 * Our message store as a peer: the program of `StorePeer.java`, request by request, over `@millrace/store`. One store a
 * name; requests of all stores are answered one after the other.
 */
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { createInterface } from "node:readline"
import type { Message, StoredMessage } from "../../packages/store/src/Message.ts"
import * as MessageStore from "../../packages/store/src/MessageStore.ts"
import { settings } from "../../packages/store/src/MessageStoreConfig.ts"
import { StoreError } from "../../packages/store/src/StoreError.ts"
import type {
  GetAnswer,
  GetRequest,
  ListedMessage,
  ListedQueue,
  Listing,
  PutOutcome,
  QueryRequest,
  ScriptedMessage,
  TimeAnswer,
  TimeRequest
} from "./Listing.ts"

type Store = MessageStore.MessageStore["Service"]
type Runtime = ManagedRuntime.ManagedRuntime<MessageStore.MessageStore, StoreError>

interface Request {
  readonly id: number
  readonly op: string
  readonly store: string
  readonly directory: string
  readonly config: Readonly<Record<string, number | boolean | string>>
  readonly messages: ReadonlyArray<ScriptedMessage>
  readonly requests: ReadonlyArray<unknown>
  readonly topic: string
  readonly type: MessageStore.QueueType
}

// Whatever the store logs must not mix with the answers.
console.log = console.error

const stores = new Map<string, Runtime>()

const perform = async (request: Request): Promise<unknown> => {
  switch (request.op) {
    case "open":
      return open(request)
    case "close":
      await stores.get(request.store)!.dispose()
      stores.delete(request.store)
      return {}
    case "put":
      return run(request, (store) => put(store, request.messages))
    case "putBatch":
      return run(request, (store) => Effect.map(store.putBatch(request.messages.map(toMessage)), outcomesOf))
    case "setQueueType":
      return run(request, (store) => Effect.as(store.setQueueType(request.topic, request.type), {}))
    case "settle":
      return run(request, stateOf)
    case "list":
      return run(request, list)
    case "get":
      return run(request, (store) => each(request.requests as ReadonlyArray<GetRequest>, (one) => get(store, one)))
    case "query":
      return run(request, (store) => each(request.requests as ReadonlyArray<QueryRequest>, (one) => lookup(store, one)))
    case "offsetsByTime":
      return run(request, (store) => each(request.requests as ReadonlyArray<TimeRequest>, (one) => byTime(store, one)))
    default:
      throw new Error(`no operation ${request.op}`)
  }
}

const open = async ({ config, directory, store }: Request): Promise<unknown> => {
  // Some settings exist only in the real store.
  const known = Object.fromEntries(Object.entries(config).filter(([name]) => name in settings))
  const logs = config["storePathCommitLog"]
  const storePathCommitLog = logs === undefined ? undefined : String(logs).split(",")
  const runtime = ManagedRuntime.make(MessageStore.layer({ directory, ...known, storePathCommitLog }))
  const { recovery } = await runtime.runPromise(MessageStore.MessageStore)
  stores.set(store, runtime)
  return recovery
}

const run = <A>(request: Request, body: (store: Store) => Effect.Effect<A, StoreError>): Promise<A> => {
  const runtime = stores.get(request.store)
  if (runtime === undefined) {
    throw new Error(`store ${request.store} is not open`)
  }
  return runtime.runPromise(Effect.flatMap(MessageStore.MessageStore, body))
}

const each = <A, B>(values: ReadonlyArray<A>, body: (value: A) => Effect.Effect<B, StoreError>) =>
  Effect.forEach(values, body)

const put = (store: Store, messages: ReadonlyArray<ScriptedMessage>) =>
  Effect.map(
    messages.length === 1
      ? Effect.map(store.put(toMessage(messages[0]!)), (result) => [result])
      : store.putMany(messages.map(toMessage)),
    outcomesOf
  )

const outcomesOf = (results: ReadonlyArray<MessageStore.PutResult>): ReadonlyArray<PutOutcome> =>
  results.map(({ length, position, queueOffset, status, storeTimestamp }) => {
    return { status, position, length, queueOffset, storeTimestamp }
  })

const toMessage = ({ body, properties, ...fields }: ScriptedMessage): Message => {
  const { KEYS: keys, TAGS: tags, ...others } = properties
  return { ...fields, body: Buffer.from(body, "base64"), keys, tags, properties: others }
}

const stateOf = (store: Store) =>
  Effect.map(store.status, ({ maxPosition, minPosition }) => ({ minPosition, maxPosition }))

const list = Effect.fnUntraced(function* (store: Store) {
  const { fileLength, maxPosition, minPosition } = yield* store.status
  const messages: Array<ListedMessage> = []
  let position = minPosition
  while (position < maxPosition) {
    const message = yield* store.byPosition(position)
    if (message === undefined) {
      // A blank, or the end: the next file tells.
      const next = (Math.floor(position / fileLength) + 1) * fileLength
      if (next >= maxPosition) {
        break
      }
      position = next
    } else {
      messages.push(describe(message))
      position += message.storeSize
    }
  }
  const queues: Array<ListedQueue> = []
  for (const { queues: ofTopic, topic } of yield* store.topics) {
    for (const { maxOffset, minOffset, queueId } of ofTopic) {
      const entries = yield* entriesOf(store, topic, queueId, minOffset, maxOffset)
      queues.push({ topic, queueId, minOffset, maxOffset, entries })
    }
  }
  const listing: Listing = { minPosition, maxPosition, listedTo: position, messages, queues }
  return listing
})

const entriesOf = Effect.fnUntraced(function* (
  store: Store,
  topic: string,
  queueId: number,
  minOffset: number,
  maxOffset: number
) {
  const entries: Array<readonly [number, number]> = []
  for (let offset = minOffset; offset < maxOffset;) {
    const { messages, nextOffset } = yield* store.get({ topic, queueId, offset, maxCount: 1000, maxBytes: 1e9 })
    for (const { position, storeSize } of messages) {
      entries.push([position, storeSize])
    }
    if (nextOffset <= offset) {
      break
    }
    offset = nextOffset
  }
  return entries
})

const describe = (message: StoredMessage): ListedMessage => ({
  position: message.position,
  storeSize: message.storeSize,
  version: message.version,
  topic: message.topic,
  queueId: message.queueId,
  queueOffset: message.queueOffset,
  recordPosition: message.position,
  flag: message.flag,
  sysFlag: message.sysFlag,
  bornTimestamp: message.bornTimestamp,
  bornHost: message.bornHost,
  storeTimestamp: message.storeTimestamp,
  storeHost: message.storeHost,
  bodyCrc: message.bodyCrc,
  reconsumeTimes: message.reconsumeTimes,
  preparedTransactionOffset: message.preparedTransactionOffset,
  offsetMsgId: message.offsetMsgId,
  body: Buffer.from(message.body).toString("base64"),
  properties: { ...message.properties }
})

/** A broker compares tags by their hashes; so does this. */
const get = (store: Store, request: GetRequest) =>
  Effect.map(
    store.get({ ...request, matchTagText: false }),
    ({ maxOffset, messages, minOffset, nextOffset, status }): GetAnswer => ({
      status,
      nextOffset,
      minOffset,
      maxOffset,
      queueOffsets: messages.map((message) => message.queueOffset),
      positions: messages.map((message) => message.position)
    })
  )

/** The index also names records that have been cleaned away; a broker answers with those that are there. */
const lookup = Effect.fnUntraced(function* (store: Store, request: QueryRequest) {
  const { minPosition } = yield* store.status
  const positions = yield* store.lookup(request)
  return positions.filter((position) => position >= minPosition)
})

const byTime = Effect.fnUntraced(function* (store: Store, request: TimeRequest) {
  const lower = yield* store.offsetByTime({ ...request, boundary: "lower" })
  const upper = yield* store.offsetByTime({ ...request, boundary: "upper" })
  const answer: TimeAnswer = { lower: lower ?? null, upper: upper ?? null }
  return answer
})

const describeFailure = (error: unknown): string =>
  error instanceof StoreError
    ? `${error.reason._tag}: ${error.message}`
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error)

const answer = async (line: string): Promise<void> => {
  const request = JSON.parse(line) as Request
  try {
    const result = await perform(request)
    process.stdout.write(`${JSON.stringify({ id: request.id, result })}\n`)
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ id: request.id, error: describeFailure(error) })}\n`)
  }
}

let last: Promise<void> = Promise.resolve()
const input = createInterface({ input: process.stdin })
input.on("line", (line) => {
  last = last.then(() => answer(line))
})
input.on("close", () => void last.then(() => process.exit(0)))
