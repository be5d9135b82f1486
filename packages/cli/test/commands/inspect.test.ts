import { assert, describe, it } from "@effect/vitest"
import * as Client from "@millrace/transport/Client"
import * as MediaDriver from "@millrace/transport/MediaDriver"
import * as Publication from "@millrace/transport/Publication"
import * as Subscription from "@millrace/transport/Subscription"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as path from "node:path"
import { backlog } from "../../src/commands/backlog.ts"
import { errors } from "../../src/commands/errors.ts"
import { log } from "../../src/commands/log.ts"
import { loss } from "../../src/commands/loss.ts"
import { stat } from "../../src/commands/stat.ts"
import { streams } from "../../src/commands/streams.ts"
import * as InProcess from "../support/InProcess.ts"

const driver = Client.layer.pipe(
  Layer.provideMerge(MediaDriver.layerEmbedded({ threading: "invoker", publicationLingerTimeout: 1 }))
)

/** Two streams over shared memory, three messages of one byte in each; nobody has read them. */
const traffic = Effect.gen(function* () {
  const { directory } = yield* MediaDriver.MediaDriver
  const publications = yield* Effect.forEach([7, 8], (streamId) =>
    Effect.gen(function* () {
      yield* Subscription.make({ channel: "aeron:ipc", streamId })
      const publication = yield* Publication.make({ channel: "aeron:ipc?alias=prices", streamId, linger: 1 })
      yield* publication.publishMany(["a", "b", "c"].map((text) => Buffer.from(text)))
      return publication
    })
  )
  // The driver counts what was published in its own time.
  yield* Effect.sleep("60 millis")
  return { directory, first: publications[0]! }
})

const withTraffic = <E>(
  use: (line: Effect.Success<typeof traffic>) => Effect.Effect<void, E, Client.Client | Scope.Scope>
): Effect.Effect<void, unknown> => Effect.flatMap(traffic, use).pipe(Effect.scoped, Effect.provide(driver))

interface Row {
  readonly streamId: number
  readonly publisher: object | null
}

const objectOf = (output: string) => JSON.parse(output.trimEnd())

describe("millrace, looking at a driver", () => {
  it.live("stat shows the driver in its first line, then every counter", () =>
    withTraffic(({ directory }) =>
      Effect.gen(function* () {
        const lines = (yield* InProcess.run(stat, "--dir", directory)).split("\n")
        assert.match(lines[0]!, new RegExp(`^${directory}  CnC 0\\.2\\.0  pid ${process.pid}  heartbeat \\d+ ms ago$`))
        assert.match(lines[2]!, /^ *0 +\d+ {2}Bytes sent$/)
        assert.isTrue(lines.some((line) => / pub-lmt: \d+ -?\d+ 7 aeron:ipc\?alias=prices$/.test(line)))
      })
    )
  )

  it.live("stat leaves out what was not asked for", () =>
    withTraffic(({ directory }) =>
      Effect.gen(function* () {
        const positions = objectOf(
          yield* InProcess.run(stat, "--dir", directory, "--type", "4", "--stream", "8", "--json")
        )
        assert.lengthOf(positions.counters, 1)
        assert.deepInclude(positions.counters[0], { typeId: 4, value: 0 })
        const named = objectOf(yield* InProcess.run(stat, "--dir", directory, "--channel", "alias=prices", "--json"))
        assert.isTrue(named.counters.every(({ label }: { label: string }) => label.includes("alias=prices")))
      })
    )
  )

  it.live("streams puts the counters of a stream together", () =>
    withTraffic(({ directory, first }) =>
      Effect.gen(function* () {
        const text = yield* InProcess.run(streams, "--dir", directory, "--stream", "7")
        assert.include(text, `stream 7  session ${first.sessionId}  aeron:ipc?alias=prices`)
        assert.match(text, /^ {2}pub-pos \(concurrent\) +\d+ +192$/m)
        assert.notInclude(text, "stream 8")
      })
    )
  )

  it.live("backlog says how far behind a subscriber is", () =>
    withTraffic(({ directory, first }) =>
      Effect.gen(function* () {
        const { streams: rows } = objectOf(yield* InProcess.run(backlog, "--dir", directory, "--json"))
        assert.lengthOf(rows, 4)
        const row = rows.find(({ publisher, streamId }: Row) => publisher !== null && streamId === 7)
        assert.deepInclude(row.publisher, { registrationId: Number(first.registrationId), position: 192 })
        assert.match(yield* InProcess.run(backlog, "--dir", directory), /^ {2}publisher +\d+ +192 +[\d,]+$/m)
      })
    )
  )

  it.live("errors and loss say that there are none", () =>
    withTraffic(({ directory }) =>
      Effect.gen(function* () {
        assert.match(yield* InProcess.run(errors, "--dir", directory), /\n0 distinct errors\n$/)
        assert.match(yield* InProcess.run(loss, "--dir", directory), /\nNothing was lost\.\n$/)
        assert.deepStrictEqual(objectOf(yield* InProcess.run(loss, "--dir", directory, "--json")).losses, [])
      })
    )
  )

  it.live("errors shows what went wrong, how often and when", () =>
    withTraffic(({ directory }) =>
      Effect.gen(function* () {
        const failing = Subscription.make({ channel: "aeron:udp?endpoint=no.such.host.invalid:40123", streamId: 1 })
        yield* Effect.flip(failing)
        const { errors: found } = objectOf(yield* InProcess.run(errors, "--dir", directory, "--json"))
        assert.deepInclude(found[0], { count: 1 })
        assert.match(found[0].text, /no\.such\.host\.invalid/)
      })
    )
  )

  it.live("log shows the frames of a log, by its file or by its registration id", () =>
    withTraffic(({ directory, first }) =>
      Effect.gen(function* () {
        const id = String(first.registrationId)
        const byId = yield* InProcess.run(log, id, "--dir", directory)
        assert.match(byId, /^kind +concurrent publication$/m)
        assert.match(byId, /^ +64 {2}-?\d+:64 {2}DATA +33 B BE-- {2}b$/m)
        const file = path.join(directory, "publications", `${id}.logbuffer`)
        const lines = (yield* InProcess.run(log, file, "--count", "2", "--json")).trimEnd().split("\n").map(objectOf)
        assert.deepInclude(lines[0], { streamId: 7, isConnected: true })
        assert.deepInclude(lines[2], { position: 64, payloadBase64: "Yg==" })
        assert.lengthOf(lines, 3)
      })
    )
  )

  it.live("a picture that is watched is printed again and again", () =>
    withTraffic(({ directory }) =>
      Effect.gen(function* () {
        const watching = yield* Effect.forkChild(
          InProcess.run(streams, "--dir", directory, "--watch", "0.01", "--json").pipe(
            Effect.timeoutOption("200 millis")
          )
        )
        assert.strictEqual((yield* Fiber.join(watching))._tag, "None")
      })
    )
  )

  it.live("a directory without a driver is named, and what to do", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(InProcess.run(stat, "--dir", "/no/such"))
      assert.match(message, /^no media driver in \/no\/such: there is no CnC file\. Start one/)
      const { message: noLog } = yield* Effect.flip(InProcess.run(log, "99", "--dir", "/no/such"))
      assert.match(noLog, /^99: no such file, and no publication or image with this registration id/)
    })
  )
})
