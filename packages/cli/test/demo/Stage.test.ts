import { assert, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stdio from "effect/Stdio"
import { TestConsole } from "effect/testing"
import * as Stage from "../../src/demo/Stage.ts"

const said = (fields: { readonly silent: boolean; readonly stdoutIsTerminal: boolean; readonly total?: number }) =>
  Effect.gen(function* () {
    const { silent, total = 1000 } = fields
    const stage = yield* Stage.follow({ label: "streaming", noun: "records", total, silent })
    for (const done of [0, 10, 249, 250, 251, 499, 760, 1000]) {
      yield* stage.update(done)
    }
    return yield* TestConsole.logLines
  }).pipe(
    Effect.scoped,
    Effect.provide(
      Layer.merge(NodeServices.layer, Stdio.layerTest({ stdoutIsTerminal: Effect.succeed(fields.stdoutIsTerminal) }))
    )
  )

describe("Stage", () => {
  it.effect("says a line at each quarter where the output is kept", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* said({ silent: false, stdoutIsTerminal: false }), [
        "streaming: 250 of 1,000 records",
        "streaming: 760 of 1,000 records",
        "streaming: 1,000 of 1,000 records"
      ])
    })
  )

  it.effect("says nothing on a terminal, which has the bar, nor where only JSON is wanted", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* said({ silent: false, stdoutIsTerminal: true }), [])
      assert.deepStrictEqual(yield* said({ silent: true, stdoutIsTerminal: false }), [])
    })
  )
})
