/**
 * Messages of 32 bytes from one process to another: through the bare kernels over one mapped log, and through the
 * Effect face with a driver beside them. The driver is embedded in the publisher's process, in its worker.
 */
import { group, type Bench, type Case } from "#harness/Group"
import { forkPeer, type Peer } from "#harness/Peer"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { BatchAppender, framedLength } from "@millrace/core/kernel/logbuffer/BatchAppender"
import { ExclusiveTermAppender } from "@millrace/core/kernel/logbuffer/ExclusiveTermAppender"
import * as LogBufferDescriptor from "@millrace/core/kernel/logbuffer/LogBufferDescriptor"
import { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import * as TermCleaner from "@millrace/core/kernel/logbuffer/TermCleaner"
import * as Int64 from "@millrace/core/kernel/memory/Int64"
import * as Mapping from "@millrace/core/kernel/native/Mapping"
import * as Client from "@millrace/transport/Client"
import * as MediaDriver from "@millrace/transport/MediaDriver"
import * as Publication from "@millrace/transport/Publication"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { COUNT, LENGTH, POSITION_FILE, PUBLISH_COUNT, RAW_LOG_FILE, SMOKE_COUNT, STREAM_ID } from "./ipc.shared.ts"

const TERM_LENGTH = 4 * 1024 * 1024
const CHANNEL = `aeron:ipc?term-length=${TERM_LENGTH}`
const FRAMED_LENGTH = framedLength(LENGTH)

const temporaryDirectory = (): string =>
  fs.mkdtempSync(join(fs.existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "millrace-bench-"))

/** A reader in another process, told how many messages to read in each run. */
const openPeer = async (mode: string, directory: string): Promise<Peer> => {
  const peer = forkPeer(import.meta.url, "./ipc.child.ts", [mode, directory])
  await peer.receive()
  return peer
}

/** Times from the first message published to the word of the peer that it has read the last. */
const timed = async (peer: Peer, count: number, publish: () => void | Promise<void>) => {
  peer.send({ count })
  await peer.receive()
  const startNs = process.hrtime.bigint()
  await publish()
  await peer.receive()
  return { operations: count, elapsedNs: Number(process.hrtime.bigint() - startNs) }
}

const openRaw = async (): Promise<Bench> => {
  const directory = temporaryDirectory()
  const logLength = LogBufferDescriptor.computeLogLength(TERM_LENGTH, 4096)
  const region = Mapping.create(join(directory, RAW_LOG_FILE), logLength, { reserve: true })
  const positionRegion = Mapping.create(join(directory, POSITION_FILE), 4096, { reserve: true })
  const position = positionRegion.buffer()
  const log = LogBuffers.create(region, {
    correlationId: 1n,
    initialTermId: 0,
    mtuLength: 1408,
    termLength: TERM_LENGTH,
    pageSize: 4096,
    sessionId: 1,
    streamId: STREAM_ID,
    type: LogBufferDescriptor.LogType.ExclusivePublication
  })
  const appender = new ExclusiveTermAppender(log)
  const batch = new BatchAppender(appender)
  const peer = await openPeer("raw", directory)
  let cleanPosition = 0

  /** What the driver does in the real thing: the limit, and the cleaning behind the reader. */
  const waitForRoom = (): void => {
    for (;;) {
      const consumed = Int64.loadMonotonic(position, 0)
      cleanPosition = TermCleaner.clean(log, cleanPosition, consumed)
      if (appender.position() < consumed + TERM_LENGTH / 2) {
        return
      }
    }
  }

  const publish = (count: number): void => {
    const perBatch = Math.floor(batch.lengthMax / FRAMED_LENGTH)
    let sent = 0
    while (sent < count) {
      waitForRoom()
      const messages = Math.min(perBatch, PUBLISH_COUNT, count - sent)
      if (batch.begin(messages * FRAMED_LENGTH) < 0) {
        continue
      }
      const { bytes } = batch.buffer
      for (let index = 0; index < messages; index++) {
        bytes[batch.next(LENGTH)] = sent + index
      }
      batch.commit()
      sent += messages
    }
  }

  return {
    run: (count) => timed(peer, count, () => publish(count)),
    close: async () => {
      peer.send({ count: 0 })
      await peer.exited
      region.close()
      positionRegion.close()
      fs.rmSync(directory, { recursive: true })
    }
  }
}

type Publish = (publication: Publication.Publication, count: number) => Effect.Effect<void, unknown>

const openTransport = async (mode: string, publish: Publish): Promise<Bench> => {
  const scope = Effect.runSync(Scope.make())
  const layer = Layer.provideMerge(Client.layer, MediaDriver.layerEmbedded())
  const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
  const { directory } = await Effect.runPromise(Effect.provide(MediaDriver.MediaDriver, context))
  const peer = await openPeer(mode, directory)
  const publication = await Effect.runPromise(
    Publication.make({ channel: CHANNEL, streamId: STREAM_ID }).pipe(Scope.provide(scope), Effect.provide(context))
  )
  return {
    run: (count) => timed(peer, count, () => Effect.runPromise(publish(publication, count))),
    close: async () => {
      peer.send({ count: 0 })
      await peer.exited
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}

const publishBatches: Publish = Effect.fnUntraced(function* (publication, count) {
  for (let sent = 0; sent < count; sent += PUBLISH_COUNT) {
    const first = sent
    yield* publication.publishBatch(Math.min(PUBLISH_COUNT, count - sent), LENGTH, (bytes, offset, index) => {
      bytes[offset] = first + index
      return LENGTH
    })
  }
})

const publishArrays: Publish = Effect.fnUntraced(function* (publication, count) {
  const messages = Array.from({ length: PUBLISH_COUNT }, (_, index) => new Uint8Array(LENGTH).fill(index))
  for (let sent = 0; sent < count; sent += PUBLISH_COUNT) {
    const rest = count - sent
    yield* publication.publishMany(rest < PUBLISH_COUNT ? messages.slice(0, rest) : messages)
  }
})

const measured = (open: () => Promise<Bench>, goal?: string): Case => ({
  bytes: LENGTH,
  count: COUNT,
  smokeCount: SMOKE_COUNT,
  open,
  ...(goal === undefined ? {} : { goal })
})

export default group("transport/ipc", {
  baseline: "raw-kernel",
  cases: {
    "raw-kernel": measured(openRaw),
    "offerBatch-batches": measured(
      () => openTransport("borrowed", publishBatches),
      "0.6 of the raw kernel, 10 million messages/s"
    ),
    "offerBatch-owned-batches": measured(() => openTransport("owned", publishBatches)),
    "offerMany-stream": measured(() => openTransport("stream", publishArrays))
  }
})
