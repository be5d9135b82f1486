/** No option is there that nothing reads: one that is taken and forgotten would be a promise that is not kept. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { cncLengths, startOptions } from "../../src/internal/driverSettings.ts"
import * as MediaDriverConfig from "../../src/MediaDriverConfig.ts"

const SOURCES = join(import.meta.dirname, "../../src")
const PACKAGES = join(import.meta.dirname, "../../..")

/** Options that are read where the driver is started, and by its command. */
const READ_ELSEWHERE: Readonly<Record<string, string>> = {
  dirDeleteOnShutdown: "transport/src/internal/driverLayer.ts",
  printConfiguration: "cli/src/commands/driver.ts"
}

/** Where the values of the options are gathered: what only stands there is read by nobody. */
const GATHERING = new Set(["driver/DriverSettings.ts", "internal/driverSettings.ts", "internal/driverStart.ts"])

const isReader = (file: string): boolean => file.endsWith(".ts") && !file.startsWith("config/") && !GATHERING.has(file)

const readBy = (concluded: MediaDriverConfig.ConcludedSettings): ReadonlySet<string> => {
  const read = new Set<string>()
  const watched = new Proxy(concluded, {
    get: (target, name) => {
      read.add(String(name))
      return Reflect.get(target, name) as unknown
    }
  })
  startOptions(watched)
  cncLengths(watched)
  return read
}

/** The names of all fields within a value, which is plain data. */
const fieldsOf = (value: unknown): ReadonlyArray<string> => {
  const names: Array<string> = []
  JSON.stringify(value, (name: string, field: unknown) => {
    names.push(name)
    return typeof field === "bigint" ? String(field) : (field ?? null)
  })
  return names.filter((name) => name !== "")
}

describe("the options of a driver", () => {
  it.effect("are all read when it is started", () =>
    Effect.gen(function* () {
      const read = readBy(yield* MediaDriverConfig.conclude({}))
      const unread = Object.keys(MediaDriverConfig.settings).filter((name) => !read.has(name))
      assert.deepStrictEqual(unread.toSorted(), Object.keys(READ_ELSEWHERE).toSorted())
      for (const [name, file] of Object.entries(READ_ELSEWHERE)) {
        assert.include(readFileSync(join(PACKAGES, file), "utf8"), `.${name}`)
      }
    })
  )

  it.effect("all reach what they are for", () =>
    Effect.gen(function* () {
      const words = new Set(
        readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
          .filter(isReader)
          .flatMap((file) => readFileSync(join(SOURCES, file), "utf8").match(/\w+/g) ?? [])
      )
      const fields = fieldsOf(startOptions(yield* MediaDriverConfig.conclude({})))
      assert.isAbove(fields.length, 60)
      assert.deepStrictEqual(
        fields.filter((name) => !words.has(name)),
        []
      )
    })
  )
})
