import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Millrace from "../support/Millrace.ts"
import * as Remains from "../support/Remains.ts"

const LONG = 120_000

/** Runs the demo on a file with this content and gives what it complained of. */
const refusal = Effect.fnUntraced(function* (
  name: string,
  content: string | undefined,
  ...flags: ReadonlyArray<string>
) {
  const directory = yield* Millrace.directory
  const temporary = path.join(directory, "tmp")
  fs.mkdirSync(temporary)
  const file = path.join(directory, name)
  if (content !== undefined) {
    fs.writeFileSync(file, content)
  }
  const { code, stderr, stdout } = yield* Millrace.run(["demo", file, ...flags], { temporary })
  assert.strictEqual(code, 2, stderr)
  assert.strictEqual(stdout, "")
  assert.isTrue(stderr.startsWith("millrace: "), stderr)
  assert.deepStrictEqual(Remains.filesIn(temporary), [], "files are left in the temporary directory")
  assert.deepStrictEqual(Remains.filesIn(directory), content === undefined ? ["tmp"] : [name, "tmp"].toSorted())
  return stderr.slice("millrace: ".length).replaceAll(`${directory}/`, "").trimEnd()
}, Effect.scoped)

describe("millrace demo FILE", { timeout: LONG }, () => {
  it.live("names a file that is missing or empty", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* refusal("none.json", undefined), "none.json: no such file")
      assert.strictEqual(yield* refusal("empty.csv", ""), "empty.csv: is empty, a record is needed")
    })
  )

  it.live("names file, line and reason when the file is not what its name says", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* refusal("a.json", "hello", "--json"), 'a.json: line 1: Unexpected character "h"')
      assert.strictEqual(
        yield* refusal("short.csv", "a,b,c\n1,2,3\n1,2\n"),
        "short.csv: line 3: Expected 3 cells, got 2"
      )
    })
  )

  it.live("names a key column that the file does not have, and a key that has no UTF-8 form", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* refusal("a.csv", "a,b\n1,2\n", "--key", "c"),
        'a.csv: has no column "c" for --key; its columns are a, b'
      )
      assert.match(yield* refusal("a.ndjson", '{"k":"\\udfff"}\n'), /^a\.ndjson: record 1: column k is not valid text/)
    })
  )

  it.live("names a record that is longer than a message can be, and takes its directories away again", () =>
    Effect.gen(function* () {
      const records = [{ k: "short" }, { k: "long", text: "x".repeat(600_000) }]
      const complaint = yield* refusal("long.json", JSON.stringify(records), "--json")
      assert.match(complaint, /^long\.json: record 2 takes 600\d{3} bytes, more than \d+, the longest message/)
    })
  )

  it.live("refuses a directory that holds something, and leaves it alone", () =>
    Effect.gen(function* () {
      const directory = yield* Millrace.directory
      fs.writeFileSync(path.join(directory, "precious"), "")
      const { code, stderr } = yield* Millrace.run(["demo", "--dir", directory], { temporary: directory })
      assert.strictEqual(code, 2)
      assert.include(stderr, `millrace: ${directory}: is not empty`)
      assert.deepStrictEqual(Remains.filesIn(directory), ["precious"])
    }).pipe(Effect.scoped)
  )
})
