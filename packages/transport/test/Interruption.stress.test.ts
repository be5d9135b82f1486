/**
 * A program that makes and uses everything of a client is interrupted at any point of its life: afterwards the driver has
 * nothing of it, and the client, which lives on, holds nothing of it either.
 */
import * as fs from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Client from "../src/Client.ts"
import * as Counters from "../src/Counters.ts"
import * as ExclusivePublication from "../src/ExclusivePublication.ts"
import * as Publication from "../src/Publication.ts"
import * as Subscription from "../src/Subscription.ts"
import { seeded } from "./driver/HeapNetwork.ts"
import { bytesOf, embedded, freePort, until } from "./fixtures/embedded.ts"

const ipc = { channel: "aeron:ipc", streamId: 1001, linger: 0 } as const
/** Sockets of its own, and images beside the publications' logs. */
const udp = Effect.map(freePort(), (port) => ({ ...ipc, channel: `aeron:udp?endpoint=127.0.0.1:${port}` }))

/** What the driver has for its clients: every counter but its own and the clients' heartbeats. */
const owned = Effect.gen(function* () {
  const { list } = yield* Counters.Counters
  return (yield* list).filter(({ typeId }) => typeId !== 0 && typeId !== 11).map(({ label }) => label)
})

/** The logs of the driver. A publication's lingers for a moment. */
const logs = Effect.gen(function* () {
  const { directory } = yield* Client.Client
  return ["publications", "images"].flatMap((folder) => {
    const path = join(directory, folder)
    return fs.existsSync(path) ? fs.readdirSync(path) : []
  })
})

/** How often this process has files of this name mapped. */
const mappings = (name: string): Effect.Effect<number> =>
  Effect.sync(
    () =>
      fs
        .readFileSync("/proc/self/maps", "utf8")
        .split("\n")
        .filter((line) => line.includes(name)).length
  )

/** Sockets of this process. */
const sockets = Effect.sync(
  () =>
    fs.readdirSync("/proc/self/fd").filter((fd) => {
      try {
        return fs.readlinkSync(`/proc/self/fd/${fd}`).startsWith("socket:")
      } catch {
        // The descriptor of the listing itself.
        return false
      }
    }).length
)

const everything = (options: Publication.PublicationOptions, isDone: Deferred.Deferred<void>) =>
  Effect.gen(function* () {
    const counters = yield* Counters.Counters
    yield* counters.add({ typeId: 1001, label: "short-lived" })
    const subscription = yield* Subscription.make(options)
    const publication = yield* Publication.make(options)
    const exclusive = yield* ExclusivePublication.make(options)
    yield* Stream.runDrain(subscription.imageEvents).pipe(Effect.forkScoped)
    // Until it is read it waits for room.
    yield* Stream.run(Stream.fromEffectRepeat(Effect.succeed(bytesOf("x".repeat(500)))), publication.sink).pipe(
      Effect.forkScoped
    )
    yield* exclusive.publishMany(Array.from({ length: 50 }, () => bytesOf("y")))
    const borrowing = yield* Effect.forkScoped(Stream.runDrain(Stream.take(subscription.borrowedBatches, 20)))
    yield* Fiber.join(borrowing)
    yield* subscription.stream.pipe(Stream.take(1000), Stream.runDrain)
    const [image] = yield* subscription.currentImages
    yield* image!.reject("enough")
    yield* Deferred.succeed(isDone, undefined)
    yield* Effect.never
  }).pipe(Effect.scoped)

/** The short form and the long one, which `pnpm stress` runs. */
const INTERRUPTIONS = process.env["MILLRACE_COUNT"] === undefined ? 30 : 2_000
const SEED = Number(process.env["MILLRACE_SEED"] ?? 1)

const turn = Effect.callback<void>((resume) => {
  const immediate = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(immediate))
})

describe("interruption", () => {
  it.live("releases exactly what was taken, at whatever point it comes", () =>
    Effect.gen(function* () {
      const random = seeded(SEED)
      const channels = [ipc, yield* udp]
      const openSockets = yield* sockets
      for (let run = 0; run < INTERRUPTIONS; run++) {
        const options = channels[run % channels.length]!
        // Once after everything, else after so many turns of the event loop, and then so many milliseconds.
        const turns = Math.floor(random() * 60)
        const ms = Math.floor(random() * 7)
        const isDone = yield* Deferred.make<void>()
        const fiber = yield* Effect.forkChild(everything(options, isDone), { startImmediately: true })
        if (run < channels.length) {
          yield* Deferred.await(isDone)
        }
        for (let i = 0; i < turns; i++) {
          yield* turn
        }
        yield* Effect.sleep(ms)
        yield* Fiber.interrupt(fiber)
        yield* until(Effect.map(owned, ({ length }) => length === 0)).pipe(
          Effect.timeoutOrElse({
            duration: "10 seconds",
            orElse: () =>
              Effect.flatMap(owned, (left) =>
                Effect.die(
                  `seed ${SEED}, run ${run} on ${options.channel}, after ${turns} turns and ${ms} ms: ${left.join("; ")}`
                )
              )
          })
        )
      }
      yield* until(Effect.map(logs, ({ length }) => length === 0))
      yield* until(Effect.map(mappings(".logbuffer"), (count) => count === 0))
      yield* until(Effect.map(sockets, (count) => count === openSockets))
      const { unknownResponseCount } = yield* Client.Client
      assert.strictEqual(yield* unknownResponseCount, 0)
    }).pipe(
      Effect.scoped,
      Effect.provide(
        Counters.layer.pipe(
          Layer.provideMerge(Client.layerWith({ resourceLinger: "10 millis", keepaliveInterval: "10 millis" })),
          Layer.provide(
            embedded({
              publicationLingerTimeout: 0,
              publicationConnectionTimeout: "50 millis",
              statusMessageTimeout: "10 millis",
              imageLivenessTimeout: "20 millis"
            })
          )
        )
      )
    )
  )

  it.live("leaves no client behind whose layer was interrupted while it connected, worked or closed", () =>
    Effect.gen(function* () {
      const { list } = yield* Counters.Counters
      const clients = Effect.map(list, (records) => records.filter(({ typeId }) => typeId === 11).length)
      const cncMappings = yield* mappings("cnc.dat")
      const random = seeded(SEED)
      const program = Publication.make(ipc).pipe(
        Effect.andThen(Effect.sleep(1)),
        Effect.scoped,
        Effect.provide(Client.layerWith({ reconnect: true })),
        Effect.forever
      )
      for (let run = 0; run < INTERRUPTIONS / 2; run++) {
        const fiber = yield* Effect.forkChild(program, { startImmediately: true })
        const turns = Math.floor(random() * 100)
        for (let i = 0; i < turns; i++) {
          yield* turn
        }
        yield* Fiber.interrupt(fiber)
      }
      yield* until(Effect.map(clients, (count) => count <= 1))
      assert.strictEqual(yield* mappings("cnc.dat"), cncMappings)
      yield* until(Effect.map(mappings(".logbuffer"), (count) => count === 0))
    }).pipe(
      Effect.scoped,
      Effect.provide(
        Counters.layer.pipe(
          Layer.provideMerge(Client.layer),
          Layer.provideMerge(embedded({ publicationLingerTimeout: 0 }))
        )
      )
    )
  )
})
