/**
 * What a client of ours does besides carrying messages, on either driver: polls of all kinds, counters, refusals, revoked
 * streams, chosen ports and session ids, and the way from a driver that was killed to the next.
 */
import { strictEqual } from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Client from "../../packages/transport/src/Client.ts"
import * as Counters from "../../packages/transport/src/Counters.ts"
import * as ExclusivePublication from "../../packages/transport/src/ExclusivePublication.ts"
import type { ImageEvent } from "../../packages/transport/src/Image.ts"
import * as Publication from "../../packages/transport/src/Publication.ts"
import * as Subscription from "../../packages/transport/src/Subscription.ts"
import type { Context } from "../Part.ts"
import { killAll } from "./Process.ts"
import { check, driverOf, type Peer, sharedMemory, type Side, withDrivers } from "./Streams.ts"

const IPC = "aeron:ipc?term-length=64k"
const LOOPBACK = "127.0.0.1"
const STEP_TIMEOUT = "30 seconds"
const USER_TYPE_ID = 1007
const HEARTBEAT_TYPE_ID = 11
/** Frames of messages of a few bytes. */
const FRAME_LENGTH = 64

type Feature = Effect.Effect<void, unknown, Client.Client | Counters.Counters | Scope.Scope>

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const until = <E, R>(condition: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(condition, (holds) => (holds ? Effect.void : Effect.sleep(2).pipe(Effect.andThen(until(condition)))))

const untilSync = (condition: () => boolean): Effect.Effect<void> => until(Effect.sync(condition))

const collect = <A, E>(stream: Stream.Stream<A, E>) =>
  Effect.gen(function* () {
    const all: Array<A> = []
    yield* Stream.runForEach(stream, (next) => Effect.sync(() => all.push(next))).pipe(
      Effect.forkScoped({ startImmediately: true })
    )
    return all
  })

const connected = Effect.gen(function* () {
  const subscription = yield* Subscription.make({ channel: IPC, streamId: 1 })
  const publication = yield* ExclusivePublication.make({ channel: IPC, streamId: 1, linger: 0 })
  yield* until(publication.isConnected)
  yield* until(subscription.isConnected)
  return { publication, subscription }
})

const polls: Feature = Effect.gen(function* () {
  const { Abort, Commit, Continue } = Subscription.ControlledAction
  const { publication, subscription } = yield* connected
  const long = "x".repeat(5000)
  yield* publication.publishMany([bytesOf("a"), bytesOf("b"), bytesOf(long)])
  const given: Array<string> = []
  const poll = (actionOf: (text: string) => Subscription.ControlledAction) =>
    subscription.controlledPoll((bytes, offset, length) => {
      given.push(textOf(bytes.slice(offset, offset + length)))
      return actionOf(given.at(-1)!)
    }, 10)
  yield* poll((text) => (text === "b" ? Abort : Commit))
  yield* poll((text) => (text === long ? Abort : Continue))
  yield* poll(() => Continue)
  strictEqual(given.join(), ["a", "b", "b", long, long].join())
  yield* publication.offer(bytesOf("block"), () => 77n)
  yield* publication.appendPadding(100)
  strictEqual(yield* subscription.blockPoll(() => {}, 64 * 1024), FRAME_LENGTH)
})

const counters: Feature = Effect.gen(function* () {
  const { add, addStatic, events, find, list } = yield* Counters.Counters
  const seen = yield* collect(events)
  const id = yield* Effect.scoped(
    Effect.gen(function* () {
      const counter = yield* add({ typeId: USER_TYPE_ID, label: "ours", key: bytesOf("key") })
      yield* counter.add(42n)
      const [found] = yield* find(USER_TYPE_ID, counter.registrationId)
      strictEqual(found!.value, 42n)
      strictEqual(found!.label, "ours")
      return counter.registrationId
    })
  )
  yield* untilSync(() => seen.filter(({ registrationId }) => registrationId === id).length === 2)
  strictEqual((yield* find(USER_TYPE_ID, id)).length, 0)
  const options = { typeId: USER_TYPE_ID, label: "static", registrationId: 99n }
  const first = yield* Effect.scoped(Effect.tap(addStatic(options), (counter) => counter.set(5n)))
  const again = yield* addStatic(options)
  strictEqual(again.counterId, first.counterId)
  strictEqual(yield* again.get, 5n)
  // The name comes with the first heartbeat.
  const isNamed = ({ label, typeId }: Counters.CounterRecord): boolean =>
    typeId === HEARTBEAT_TYPE_ID && label.includes(" name=features version=")
  yield* until(Effect.map(list, (records) => records.some(isNamed)))
})

const refusals: Feature = Effect.gen(function* () {
  const { publication, subscription } = yield* connected
  const errors = yield* collect(publication.errors)
  yield* publication.publish(bytesOf("unwanted"))
  const [image] = yield* subscription.currentImages
  yield* image!.reject("not wanted")
  yield* untilSync(() => errors.length > 0)
  strictEqual(errors[0]!.detail.includes("not wanted"), true)
})

const revoked: Feature = Effect.gen(function* () {
  const { publication, subscription } = yield* connected
  const events: ReadonlyArray<ImageEvent> = yield* collect(subscription.imageEvents)
  yield* publication.publish(bytesOf("never read"))
  yield* publication.revoke
  yield* untilSync(() => events.length === 2)
  const [, gone] = events
  strictEqual(gone!._tag === "Unavailable" && gone!.end, "Revoked")
})

const channels: Feature = Effect.gen(function* () {
  const subscription = yield* Subscription.make({ channel: "aeron:udp?endpoint=127.0.0.1:0", streamId: 2 })
  yield* until(Effect.map(subscription.resolvedEndpoint, (endpoint) => endpoint !== undefined))
  const channel = (yield* subscription.tryResolveChannelEndpointPort)!
  const publication = yield* Publication.make({ channel, streamId: 2, linger: 0 })
  yield* until(publication.isConnected)
  strictEqual(yield* publication.channelStatus, "Active")
  strictEqual((yield* publication.localSocketAddresses).length, 1)
  yield* publication.publish(bytesOf("through a port that the system chose"))
  const [message] = yield* Stream.runCollect(Stream.take(subscription.stream, 1))
  strictEqual(textOf(message!), "through a port that the system chose")
})

/** A stream that goes on where another left off, of a session that is asked for. */
const begins: Feature = Effect.gen(function* () {
  const channel = `aeron:udp?endpoint=${LOOPBACK}:20456|term-length=64k`
  const subscription = yield* Subscription.make({ channel, streamId: 3 })
  const where = "init-term-id=-7|term-id=-5|term-offset=4096|session-id=4711"
  const publication = yield* ExclusivePublication.make({ channel: `${channel}|${where}`, streamId: 3, linger: 0 })
  const position = 2 * 64 * 1024 + 4096
  strictEqual(publication.sessionId, 4711)
  strictEqual(publication.initialTermId, -7)
  strictEqual(yield* publication.position, position)
  yield* until(publication.isConnected)
  yield* until(subscription.isConnected)
  const image = (yield* subscription.imageBySessionId(4711))!
  strictEqual(image.joinPosition, position)
  yield* publication.publish(bytesOf("goes on"))
  const [message] = yield* Stream.runCollect(Stream.take(subscription.messages, 1))
  strictEqual(message!.startPosition, position)
  strictEqual(message!.position, position + FRAME_LENGTH)
})

/** A session by the tag of another publication, and a channel by its tag alone. */
const tags: Feature = Effect.gen(function* () {
  const channel = `aeron:udp?endpoint=${LOOPBACK}:20457`
  const first = yield* Publication.make({ channel: `${channel}|tags=901,902`, streamId: 4, linger: 0 })
  const same = yield* Publication.make({ channel: `${channel}|session-id=tag:902`, streamId: 5, linger: 0 })
  strictEqual(same.sessionId, first.sessionId)
  yield* Subscription.make({ channel: `${channel}|tags=903`, streamId: 4 })
  const tagged = yield* Subscription.make({ channel: "aeron:udp?tags=903", streamId: 5 })
  yield* until(same.isConnected)
  yield* same.publish(bytesOf("by tag"))
  const [message] = yield* Stream.runCollect(Stream.take(tagged.stream, 1))
  strictEqual(textOf(message!), "by tag")
})

/** The end of a stream is seen where its last byte was read, over IPC and over UDP. */
const ends: Feature = Effect.gen(function* () {
  for (const channel of [IPC, `aeron:udp?endpoint=${LOOPBACK}:40458`]) {
    const subscription = yield* Subscription.make({ channel, streamId: 6 })
    const events: ReadonlyArray<ImageEvent> = yield* collect(subscription.imageEvents)
    const messages = yield* collect(subscription.stream)
    yield* Effect.scoped(
      Effect.gen(function* () {
        const publication = yield* Publication.make({ channel, streamId: 6 })
        yield* publication.publishMany([bytesOf("one"), bytesOf("two")])
      })
    )
    yield* untilSync(() => events.length === 2)
    strictEqual(messages.map(textOf).join(), "one,two")
    const [, gone] = events
    strictEqual(gone!._tag === "Unavailable" && gone!.end, "EndOfStream")
    strictEqual(gone!._tag === "Unavailable" && gone!.position, 2 * FRAME_LENGTH)
  }
})

/** Who is not tethered and does not read loses its image, not the others theirs; it comes back after its rest. */
const untethered: Feature = Effect.gen(function* () {
  const timeouts = ["window-limit", "linger", "resting"].map((name) => `untethered-${name}-timeout=200ms`).join("|")
  for (const media of ["aeron:ipc?", `aeron:udp?endpoint=${LOOPBACK}:40459|`]) {
    const channel = `${media}term-length=64k|${timeouts}`
    const reader = yield* Subscription.make({ channel, streamId: 7 })
    const idler = yield* Subscription.make({ channel: `${channel}|tether=false`, streamId: 7 })
    const events: ReadonlyArray<ImageEvent> = yield* collect(idler.imageEvents)
    let received = 0
    yield* Effect.forkScoped(Stream.runForEach(reader.stream, () => Effect.sync(() => received++)))
    const publication = yield* Publication.make({ channel, streamId: 7, linger: 0 })
    const publishing = publication.publish(new Uint8Array(1000)).pipe(Effect.andThen(Effect.sleep(1)), Effect.forever)
    yield* Effect.forkScoped(publishing)
    yield* untilSync(() => events.length > 2)
    strictEqual(
      events
        .map(({ _tag }) => _tag)
        .join()
        .startsWith("Available,Unavailable,Available"),
      true
    )
    // It reads now: Java's driver would hold up the stream for good where one that stands still has come back in the last
    // quarter of a window, too near to be let go and too far behind for the sender to go on.
    let receivedAgain = 0
    yield* Effect.forkScoped(Stream.runForEach(idler.stream, () => Effect.sync(() => receivedAgain++)))
    const count = received
    yield* untilSync(() => received > count + 50 && receivedAgain > 50)
  }
})

const FEATURES: ReadonlyArray<readonly [title: string, feature: Feature]> = [
  ["controlled and block polls, padding, reserved values", polls],
  ["counters of our own, static ones, and who comes and goes", counters],
  ["a refused stream, and its publisher told", refusals],
  ["a revoked stream", revoked],
  ["port 0 resolved, and the state of a channel", channels],
  ["a session and a position of our choice", begins],
  ["sessions and channels by tag", tags],
  ["the end of a stream", ends],
  ["an untethered subscription loses its image and gets it back", untethered]
]

const quiet = Logger.layer([])

const runOn = (directory: string, feature: Feature): Promise<void> => {
  const client = Client.layerWith({ directory, clientName: "features" })
  const layer = Counters.layer.pipe(Layer.provideMerge(client), Layer.provideMerge(quiet))
  return Effect.runPromise(feature.pipe(Effect.scoped, Effect.timeout(STEP_TIMEOUT), Effect.provide(layer)))
}

/** Our publisher and subscriber go on over the death of their driver, in order, and nothing comes twice. */
const restart = async (side: Side): Promise<void> => {
  const directory = join(mkdtempSync(join(sharedMemory(), "millrace-interop-")), "driver")
  try {
    const first = await driverOf(side, directory, {})
    const program = Effect.gen(function* () {
      const { status } = yield* Client.Client
      const seen = yield* collect(status)
      const subscription = yield* Subscription.make({ channel: IPC, streamId: 3 })
      const publication = yield* Publication.make({ channel: IPC, streamId: 3, linger: 0 })
      const received: Array<number> = yield* collect(
        Stream.map(subscription.stream, (message) => Number(textOf(message)))
      )
      let next = 0
      const publishing = Effect.suspend(() => publication.publish(bytesOf(String(next++)))).pipe(
        Effect.andThen(Effect.sleep(1)),
        Effect.forever
      )
      yield* Effect.forkScoped(publishing)
      yield* untilSync(() => received.length > 100)
      yield* Effect.promise(() => first.stop("SIGKILL"))
      // A driver takes the directory of another over when that has been silent for its driver timeout. Java's ends at
      // once where it starts sooner.
      yield* Effect.sleep("1500 millis")
      yield* Effect.promise(() => driverOf(side, directory, { "aeron.driver.timeout": "1000" }))
      yield* untilSync(() => seen.at(-1)?._tag === "Reconnected")
      const count = received.length
      yield* untilSync(() => received.length > count + 100)
      strictEqual(
        received.every((value, index) => index === 0 || value > received[index - 1]!),
        true
      )
    })
    const client = Client.layerWith({ directory, driverTimeout: "10 seconds", reconnect: true })
    const layer = Layer.provideMerge(client, quiet)
    await Effect.runPromise(program.pipe(Effect.scoped, Effect.timeout("60 seconds"), Effect.provide(layer)))
  } finally {
    killAll()
    rmSync(join(directory, ".."), { recursive: true, force: true })
  }
}

export const run = async (context: Context, _count: number, peer: Peer): Promise<void> => {
  for (const side of [peer, "millrace"] as const) {
    await withDrivers([side], async (directory) => {
      for (const [title, feature] of FEATURES) {
        await check(context, `${side} driver, our client: ${title}`, () => runOn(directory, feature))
      }
    })
    await check(context, `${side} driver, our client: goes on when the driver is killed and started again`, () =>
      restart(side)
    )
  }
}
