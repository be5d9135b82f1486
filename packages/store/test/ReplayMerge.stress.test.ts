/**
 * Recorder, publisher and late joiner against a model, interleaved at random: the recorder lags and is started again, the
 * joiner comes at any time, is slow, and has little room. `pnpm stress` goes on for thousands of runs.
 */
import { assert, describe, it } from "@effect/vitest"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as MessageStore from "../src/MessageStore.ts"
import * as Recorder from "../src/Recorder.ts"
import * as Replayer from "../src/Replayer.ts"
import { sent } from "./fixtures/SentMessages.ts"
import { randomOf } from "./fixtures/SimulatedStore.ts"

const SEED = Number(process.env["MILLRACE_SEED"] ?? 1)
const RUNS_MAX = 2000
const RUNS = Math.min(RUNS_MAX, Number(process.env["MILLRACE_COUNT"] ?? 8))

/** Runs of one store, which is memory. */
const RUNS_OF_STORE = 50

const memory = MessageStore.layerMemory({ mappedFileSizeCommitLog: 256 * 1024, mappedFileSizeConsumeQueue: 20 * 1000 })

const turns = (count: number) => Effect.yieldNow.pipe(Effect.repeat({ times: count }))

interface Session {
  readonly sessionId: number
  readonly messages: ReadonlyArray<Recorder.StreamMessage>
  sent: number
  recorded: number
  /** Index of the first message that the late joiner gets live; undefined before it joins. */
  joined: number | undefined
}

/** One run of a publisher, a recorder with a will of its own and a late joiner, all from one seed. */
const run = (seed: number) =>
  Effect.gen(function* () {
    const random = randomOf(seed)
    const below = (count: number) => Math.floor(random() * count)
    const topic = `run-${seed}`
    const total = 50 + below(400)
    const bare = random() < 0.2
    const sessions = Array.from({ length: 1 + below(3) }, (_, index): Session => {
      const sessionId = 1 + index
      const all = sent(1, total, { sessionId })
      const messages = bare ? all.map(({ startPosition: _startPosition, ...message }) => message) : all
      return { sessionId, messages, sent: 0, recorded: 0, joined: undefined }
    })
    const live = yield* Queue.unbounded<Recorder.StreamMessage, Cause.Done>()
    const replayer = yield* Replayer.make(topic)
    const joinAt = below(total)
    const given: Array<Replayer.Replayed> = []
    const slowness = below(4)
    const join = replayer.merge(Stream.fromQueue(live), { from: "earliest", liveBytesMax: 100 + below(5000) }).pipe(
      Stream.rechunk(1 + below(64)),
      Stream.runForEachArray((elements) => {
        given.push(...elements)
        return turns(below(1 + slowness * 10))
      })
    )
    const record = Effect.fnUntraced(function* (session: Session, count: number) {
      // A recorder that was started again gets some messages again.
      const from = random() < 0.2 ? Math.max(0, session.recorded - below(8)) : session.recorded
      const to = Math.min(session.sent, session.recorded + count)
      const recorder = yield* Recorder.make(topic)
      yield* recorder.record(session.messages.slice(from, to))
      session.recorded = Math.max(session.recorded, to)
    })
    const publish = (session: Session, count: number) => {
      const messages = session.messages.slice(session.sent, session.sent + count)
      session.sent += messages.length
      return session.joined === undefined ? Effect.void : Effect.asVoid(Queue.offerAll(live, messages))
    }
    let joiner: Fiber.Fiber<void, unknown> | undefined
    while (sessions.some(({ messages, sent }) => sent < messages.length)) {
      const session = sessions[below(sessions.length)]!
      yield* random() < 0.5 ? publish(session, below(30)) : record(session, below(60))
      if (joiner === undefined && sessions[0]!.sent >= joinAt) {
        // A network may give it messages that the sender knows to be received already.
        sessions.forEach((each) => {
          each.joined = Math.max(0, each.sent - below(4))
        })
        yield* Effect.forEach(sessions, (each) => Queue.offerAll(live, each.messages.slice(each.joined, each.sent)))
        joiner = yield* Effect.forkScoped(join)
      }
      yield* turns(below(5))
    }
    for (const session of sessions) {
      yield* record(session, total)
    }
    yield* Queue.end(live)
    yield* Fiber.join(joiner!)
    for (const { messages, sessionId } of sessions) {
      const positions = given.filter((message) => message.sessionId === sessionId).map(({ position }) => position)
      assert.deepStrictEqual(
        positions,
        messages.map(({ position }) => position),
        `seed ${seed}, session ${sessionId}`
      )
    }
  }).pipe(Effect.scoped)

describe("a late joiner", () => {
  it.effect(
    "gets each message once and in order, whatever recorder, publisher and restarts do",
    () =>
      Effect.gen(function* () {
        for (let from = 0; from < RUNS; from += RUNS_OF_STORE) {
          const seeds = Array.from({ length: Math.min(RUNS_OF_STORE, RUNS - from) }, (_, index) => SEED + from + index)
          yield* Effect.forEach(seeds, run, { discard: true }).pipe(Effect.provide(memory, { local: true }))
        }
      }),
    RUNS > 8 ? 0 : undefined
  )
})
