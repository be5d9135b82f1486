import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import { join } from "node:path"
import { assert } from "vitest"
import * as Inspect from "../../src/Inspect.ts"
import * as Repair from "../../src/Repair.ts"
import type { StoreError } from "../../src/StoreError.ts"
import { randomOf } from "../fixtures/SimulatedStore.ts"
import * as Golden from "../fixtures/Golden.ts"
import * as Temporary from "../fixtures/Temporary.ts"

const ROUNDS = 15
const CHANGES_MAX = 20

const filesOf = (directory: string): ReadonlyArray<string> =>
  fs
    .readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()

/** Overwrites some bytes of some file, most often near its beginning, where something stands. */
const mutate = (file: string, random: () => number): void => {
  const bytes = fs.readFileSync(file)
  const count = 1 + Math.floor(random() * CHANGES_MAX)
  for (let change = 0; change < count && bytes.length > 0; change++) {
    const at = Math.floor(random() * random() * bytes.length)
    bytes[at] = random() < 0.3 ? 0xff : Math.floor(random() * 256)
  }
  fs.writeFileSync(file, bytes)
}

/** What a run comes to: an answer, or a typed error. Anything else ends the test. */
const outcome = <A>(effect: Effect.Effect<A, StoreError>): Effect.Effect<string> =>
  Effect.match(effect, { onFailure: ({ reason }) => reason._tag, onSuccess: () => "answered" })

describe("inspection of a store with bytes of somebody else", () => {
  it.effect("answers or refuses with a typed error, and changes nothing", () =>
    Effect.gen(function* () {
      const outcomes = new Map<string, number>()
      for (let seed = 1; seed <= ROUNDS; seed++) {
        const random = randomOf(seed)
        const directory = yield* Temporary.directory
        Golden.unpack("5.3.3-short-aborted", directory)
        const files = filesOf(directory)
        mutate(files[Math.floor(random() * files.length)]!, random)
        mutate(files[Math.floor(random() * files.length)]!, random)
        const before = Temporary.contentOf(directory)
        const runs = [
          outcome(Inspect.verify({ directory })),
          outcome(Stream.runDrain(Inspect.exported({ directory }))),
          outcome(Inspect.overview({ directory })),
          outcome(Repair.plan({ directory })),
          ...files.map((file) => outcome(Stream.runDrain(Inspect.dump(file))))
        ]
        for (const run of runs) {
          const name = yield* run
          outcomes.set(name, (outcomes.get(name) ?? 0) + 1)
        }
        assert.deepStrictEqual(Temporary.contentOf(directory), before, `seed ${seed}`)
      }
      assert.isAbove(outcomes.get("answered") ?? 0, ROUNDS)
    })
  )

  it.effect("repairs what it can, and then everything agrees", () =>
    Effect.gen(function* () {
      let repaired = 0
      for (let seed = 1; seed <= 6; seed++) {
        const random = randomOf(seed + 100)
        const parent = yield* Temporary.directory
        const directory = join(parent, "store")
        Golden.unpack("5.3.3-short-aborted", directory)
        const logs = filesOf(join(directory, "commitlog"))
        mutate(logs[Math.floor(random() * logs.length)]!, random)
        const [choice] = (yield* Repair.plan({ directory })).choices
        if (choice !== undefined) {
          const report = yield* Repair.apply({ directory, choice: choice.name, backup: join(parent, "backup") })
          assert.deepStrictEqual(report.verified.findings, [], `seed ${seed}`)
          repaired++
        }
      }
      assert.isAbove(repaired, 1)
    })
  )
})
