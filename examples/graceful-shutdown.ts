/**
 * Stopping without losing anything. `runMain` interrupts a program on SIGINT and SIGTERM, and scopes close in the reverse of
 * their order: so the source stops first, its publication waits until everything is read, the recorder reaches the end
 * of the stream, and the store closes last. Here the program interrupts itself.
 */
import { ok } from "node:assert/strict"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { MessageStore, Topic } from "@millrace/store"
import { Client, MediaDriver, Publication, Subscription } from "@millrace/transport"
import { Console, Effect, Fiber, Ref, Schema, Stream } from "effect"

const Event = Schema.Struct({ id: Schema.Int })
const line = { channel: "aeron:ipc", streamId: 1001 }

const events = Topic.make("events", { schema: Event, queues: 1 })

/** Stores what comes, until the stream has ended and everything of it was read. */
const record = Effect.gen(function* () {
  const topic = yield* events
  const subscription = yield* Subscription.make(line)
  yield* subscription.images.pipe(
    Stream.take(1),
    Stream.flatMap((image) => image.typed(Event)),
    Stream.run(topic.sink)
  )
}).pipe(Effect.scoped)

/** A recorder that is not interrupted with its scope: closing waits for the end of the stream. */
const recorder = Effect.acquireRelease(Effect.forkDetach(record), (fiber) => Effect.orDie(Fiber.join(fiber)))

/** Counts up, and publishes what it counts, for ever. */
const publish = Effect.fn("publish")(function* (published: Ref.Ref<number>) {
  const publication = yield* Publication.make({ ...line, linger: "5 seconds" })
  yield* Stream.iterate(1, (id) => id + 1).pipe(
    Stream.mapEffect((id) =>
      publication
        .typed(Event)
        .publish({ id })
        .pipe(Effect.andThen(Ref.set(published, id)))
    ),
    Stream.runDrain
  )
}, Effect.scoped)

const service = Effect.fn("service")(
  function* (published: Ref.Ref<number>) {
    yield* recorder
    yield* publish(published)
  },
  Effect.scoped,
  Effect.provide(Client.layer),
  Effect.provide(MediaDriver.layerEmbedded())
)

const program = Effect.gen(function* () {
  const published = yield* Ref.make(0)
  const running = yield* Effect.forkChild(service(published))
  yield* Ref.get(published).pipe(Effect.delay("10 millis"), Effect.repeat({ until: (count) => count >= 1000 }))
  yield* Fiber.interrupt(running)

  const topic = yield* events
  const stored = yield* topic.stream({ from: "earliest", live: false }).pipe(
    Stream.map(({ value }) => value.id),
    Stream.runCollect
  )
  yield* Console.log(`${yield* Ref.get(published)} events were published, ${stored.length} are stored`)
  // One more may be there: it was accepted, and then there was no time to count it.
  ok(stored.length >= (yield* Ref.get(published)))
  ok(stored.every((id, index) => id === index + 1))
}).pipe(Effect.provide(MessageStore.layer({ directory: "events" })))

NodeRuntime.runMain(program)
