import { assert, describe, it } from "@effect/vitest"
import * as Client from "@millrace/transport/Client"
import * as MediaDriver from "@millrace/transport/MediaDriver"
import * as Publication from "@millrace/transport/Publication"
import * as Subscription from "@millrace/transport/Subscription"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { publish } from "../../src/commands/publish.ts"
import * as InProcess from "../support/InProcess.ts"

describe("drained", () => {
  it.live("ends for a publisher that shares its log with one that was there before", () =>
    Effect.gen(function* () {
      const { directory } = yield* MediaDriver.MediaDriver
      const subscription = yield* Subscription.make({ channel: "aeron:ipc", streamId: 7 })
      yield* Publication.make({ channel: "aeron:ipc", streamId: 7, linger: 1 })
      yield* Effect.forkScoped(Stream.runDrain(subscription.stream))
      const text = yield* InProcess.run(publish, "--dir", directory, "--stream", "7", "--count", "3")
      assert.match(text, /^published 3 messages/)
    }).pipe(
      Effect.scoped,
      Effect.provide(
        Client.layer.pipe(
          Layer.provideMerge(MediaDriver.layerEmbedded({ threading: "invoker", publicationLingerTimeout: 1 }))
        )
      )
    )
  )
})
