import { assert, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Client from "@millrace/transport/Client"
import * as MediaDriver from "@millrace/transport/MediaDriver"
import * as Publication from "@millrace/transport/Publication"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Command from "effect/cli/Command"
import { subscribe } from "../../src/commands/subscribe.ts"

/** Runs the command in this process, and shows each write to its standard output. */
const run = (...args: ReadonlyArray<string>) => {
  const writes: Array<string> = []
  const write = (bytes: string | Uint8Array) => Effect.sync(() => void writes.push(Buffer.from(bytes).toString()))
  const stdio = Stdio.layerTest({ stdout: () => Sink.forEach(write) })
  const running = Command.runWith(subscribe, { version: "0.0.0" })(args).pipe(
    Effect.provide(Layer.merge(NodeServices.layer, stdio))
  )
  return { running, writes }
}

const driver = Client.layer.pipe(Layer.provideMerge(MediaDriver.layerEmbedded({ threading: "invoker" })))

const texts = Array.from({ length: 100 }, (_, index) => `${index}`)
const messages = texts.map((text) => Buffer.from(text))
const lines = (count: number): string =>
  texts
    .slice(0, count)
    .map((text) => `${text}\n`)
    .join("")

describe("millrace subscribe", () => {
  it.live("writes the lines that came together at once, and no more of them than were asked for", () =>
    Effect.gen(function* () {
      const { directory } = yield* MediaDriver.MediaDriver
      const { running, writes } = run("--dir", directory, "--stream", "7", "--count", "40")
      const subscriber = yield* Effect.forkScoped(running, { startImmediately: true })
      const publication = yield* Publication.make({ channel: "aeron:ipc", streamId: 7 })
      yield* publication.publishMany(messages)
      yield* Fiber.join(subscriber)
      assert.deepStrictEqual(writes, [lines(40)])
    }).pipe(Effect.scoped, Effect.provide(driver))
  )

  it.live("writes what came before it says that there will be no more", () =>
    Effect.gen(function* () {
      const { directory } = yield* MediaDriver.MediaDriver
      const { running, writes } = run("--dir", directory, "--stream", "7", "--count", "101")
      const subscriber = yield* Effect.forkScoped(Effect.flip(running), { startImmediately: true })
      yield* Effect.scoped(
        Effect.flatMap(Publication.make({ channel: "aeron:ipc", streamId: 7 }), (publication) =>
          publication.publishMany(messages)
        )
      )
      const { message } = yield* Fiber.join(subscriber)
      assert.strictEqual(message, "the publisher ended after 100 of 101 messages")
      assert.deepStrictEqual(writes, [lines(100)])
    }).pipe(Effect.scoped, Effect.provide(driver))
  )
})
