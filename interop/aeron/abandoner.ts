/**
 * Millrace's publisher that dies: `directory channel count length streams`, these as JSON. Publishes `count` messages on
 * each stream and prints `published`. At the line `abandon` it begins in each log what its death says, up to that store,
 * prints `abandoned`, and waits to be killed.
 */
import assert from "node:assert/strict"
import { join } from "node:path"
import { createInterface } from "node:readline"
import * as Effect from "effect/Effect"
import { LogBuffers } from "../../packages/core/src/logbuffer/LogBuffers.ts"
import * as Mapping from "../../packages/core/src/native/Mapping.ts"
import * as Client from "../../packages/transport/src/Client.ts"
import * as Publication from "../../packages/transport/src/Publication.ts"
import * as Deaths from "./Deaths.ts"
import * as Messages from "./messages.ts"

interface Stream {
  readonly streamId: number
  readonly death: Deaths.Death
}

const [directory, channel, count, length, streamList] = process.argv.slice(2)
const streams = JSON.parse(streamList!) as ReadonlyArray<Stream>
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()

/** The log behind a publication, which its first owner finds by its registration. */
const logOf = (publication: Publication.Publication): LogBuffers =>
  new LogBuffers(Mapping.open(join(directory!, "publications", `${publication.registrationId}.logbuffer`)))

const program = Effect.gen(function* () {
  const publications = yield* Effect.forEach(streams, ({ streamId }) =>
    Publication.make({ channel: channel!, streamId })
  )
  for (const publication of publications) {
    for (let number = 0; number < Number(count); number++) {
      yield* publication.publish(Messages.make(number, Number(length)))
    }
  }
  const logs = publications.map(logOf)
  process.stdout.write("published\n")
  yield* Effect.promise(() => lines.next())
  streams.forEach(({ death }, index) => assert(Deaths.die(logs[index]!, death), "the writer came to its end"))
  process.stdout.write("abandoned\n")
  yield* Effect.never
}).pipe(Effect.scoped, Effect.provide(Client.layerWith({ directory: directory!, clientName: "millrace-abandoner" })))

await Effect.runPromise(program)
