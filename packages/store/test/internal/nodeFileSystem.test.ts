import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { assert } from "vitest"
import { nodeFileSystem } from "../../src/internal/nodeFileSystem.ts"
import { FileFailure } from "../../src/mapped/FileSystem.ts"
import * as Temporary from "../fixtures/Temporary.ts"

describe("nodeFileSystem", () => {
  it.effect("leaves no file behind that was made and cannot be mapped", () =>
    Effect.gen(function* () {
      const directory = yield* Temporary.directory
      for (const use of ["queue", "index"] as const) {
        // No mapping has a length of 0.
        assert.throws(() => nodeFileSystem.create(join(directory, use), 0, use), FileFailure)
      }
      assert.deepStrictEqual(fs.readdirSync(directory), [])
    })
  )
})
