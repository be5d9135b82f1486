import { assert, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import { withDefines } from "../../src/internal/driverOptions.ts"
import { millrace } from "../../src/main.ts"
import * as Millrace from "../support/Millrace.ts"

type AnyCommand = Command.Command<string, unknown, object, unknown, never>

interface Leaf {
  readonly path: ReadonlyArray<string>
  readonly command: AnyCommand
}

/** Every command that does something, with the words that name it. */
const leavesOf = (command: AnyCommand, path: ReadonlyArray<string>): ReadonlyArray<Leaf> => {
  const below = command.subcommands.flatMap(({ commands }) => commands) as unknown as ReadonlyArray<AnyCommand>
  return below.length === 0
    ? [{ path, command }]
    : below.flatMap((subcommand) => leavesOf(subcommand, [...path, subcommand.name]))
}

const leaves = leavesOf(millrace as unknown as AnyCommand, [])

/** The last command of a line, without what the shell does with its input and output. */
const argumentsOf = (example: string): ReadonlyArray<string> =>
  withDefines(
    Millrace.wordsOf(
      example
        .split(" | ")
        .at(-1)!
        .split(/ [<>] /)[0]!
    ).slice(1)
  )

describe("every command of millrace", () => {
  it("has a description, a short one that fits a line, and two examples", () => {
    assert.isAbove(leaves.length, 30)
    for (const { command, path } of leaves) {
      const name = path.join(" ")
      assert.isDefined(command.description, name)
      assert.isAtMost(command.shortDescription?.length ?? Infinity, 53, name)
      assert.isAtLeast(command.examples.length, 2, name)
    }
  })

  it.effect("understands its own examples", () =>
    Effect.gen(function* () {
      for (const { command, path } of leaves) {
        for (const { command: example } of command.examples) {
          const words = argumentsOf(example)
          assert.deepStrictEqual(words.slice(0, path.length), path, example)
          let isUnderstood = false
          const handled = Command.withHandler(command, () =>
            Effect.sync(() => {
              isUnderstood = true
            })
          )
          yield* Command.runWith(handled, { version: "0.0.0" })(words.slice(path.length)).pipe(
            Effect.provide(NodeServices.layer)
          )
          assert.isTrue(isUnderstood, example)
        }
      }
    })
  )

  it("prints JSON when it is asked to", () => {
    for (const { command, path } of leaves) {
      const help = JSON.stringify(Completions.fromCommand(command))
      assert.include(help, '"name":"json"', path.join(" "))
    }
  })
})
