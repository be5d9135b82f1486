import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import * as DataSet from "../../src/demo/DataSet.ts"
import * as Survey from "../../src/demo/Survey.ts"

const writeFile = Effect.fnUntraced(function* (name: string, content: string | Uint8Array) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(yield* fs.makeTempDirectoryScoped(), name)
  yield* fs.writeFile(file, typeof content === "string" ? new TextEncoder().encode(content) : content)
  return file
})

const read = Effect.fnUntraced(function* (name: string, content: string | Uint8Array, repeat = 1) {
  const dataSet = yield* DataSet.fromFile(yield* writeFile(name, content), repeat)
  return yield* Stream.runCollect(DataSet.records(dataSet))
})

const surveyOf = Effect.fnUntraced(function* (name: string, content: string | Uint8Array, key?: string) {
  const dataSet = yield* DataSet.fromFile(yield* writeFile(name, content), 1)
  return yield* Survey.take(dataSet, { key, tag: undefined })
})

/** The complaint about a file, without the directory that it stands in. */
const complaint = <A, R>(effect: Effect.Effect<A, { readonly message: string }, R>) =>
  Effect.map(Effect.flip(effect), (error) => error.message.replace(/^.*\//, ""))

describe("DataSet", () => {
  layer(NodeServices.layer)((it) => {
    it.effect("finds 20,000 flights in its own dependency", () =>
      Effect.gen(function* () {
        const flights = yield* DataSet.flights(2)
        const survey = yield* Survey.take(flights, { key: undefined, tag: undefined })
        assert.strictEqual(survey.records, 40_000)
        assert.deepStrictEqual(survey.columns, { key: "origin", tag: "destination", measure: "delay" })
      })
    )

    it.effect("reads a JSON array, JSON lines and CSV to the same records", () =>
      Effect.gen(function* () {
        const expected = [
          { a: "1", b: "x\ny" },
          { a: "2", b: "" }
        ]
        assert.deepStrictEqual(yield* read("a.json", JSON.stringify(expected)), expected)
        assert.deepStrictEqual(
          yield* read("a.ndjson", expected.map((record) => JSON.stringify(record)).join("\n")),
          expected
        )
        assert.deepStrictEqual(
          yield* read("a.jsonl", `${JSON.stringify(expected[0])}\r\n\r\n${JSON.stringify(expected[1])}\r\n`),
          expected
        )
        assert.deepStrictEqual(yield* read("a.csv", 'a,b\r\n1,"x\ny"\r\n\r\n2,\r\n'), expected)
        assert.deepStrictEqual(yield* read("a.CSV", '\ufeffa,b\n1,"x\ny"\n2,'), expected)
      })
    )

    it.effect("sends the records as often as it is told, in order", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(
          yield* read("a.csv", "n\n1\n2\n", 3),
          ["1", "2", "1", "2", "1", "2"].map((n) => ({ n }))
        )
      })
    )

    it.effect("reads characters that two chunks of the file share", () =>
      Effect.gen(function* () {
        const records = Array.from({ length: 60_000 }, (_, index) => ({ city: `São Paulo ✈ ${index}` }))
        assert.deepStrictEqual(yield* read("a.json", JSON.stringify(records)), records)
      })
    )

    it.effect("names the file and the reason when it cannot be read", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* complaint(DataSet.fromFile("/nowhere/a.json", 1)), "a.json: no such file")
        assert.strictEqual(
          yield* complaint(DataSet.fromFile("/dev", 1)),
          "dev: is a directory, a file of records is needed"
        )
        assert.match(yield* complaint(DataSet.fromFile("/dev/null", 1)), /^null: is not a regular file/)
        assert.match(yield* complaint(read("a.xml", "<a/>")), /^a\.xml: the name must end in \.json/)
        assert.strictEqual(yield* complaint(read("a.csv", "")), "a.csv: is empty, a record is needed")
      })
    )

    it.effect("names the line of a file that is not what its name says", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* complaint(read("a.json", "hello")), 'a.json: line 1: Unexpected character "h"')
        assert.strictEqual(
          yield* complaint(read("a.json", '\n\n{"a":1}')),
          "a.json: line 3: the file must be one JSON array of objects"
        )
        assert.strictEqual(
          yield* complaint(read("a.json", '[{"a":1},\n{"a":2},\n')),
          "a.json: line 2: Unexpected end of input"
        )
        assert.match(
          yield* complaint(read("a.json", '[{"a":1},\n{"a":\n x}]')),
          /^a\.json: line 3: Unexpected token 'x'/
        )
        assert.match(
          yield* complaint(read("a.ndjson", '{"a":1}\n\n{"a":}\n{}')),
          /^a\.ndjson: line 3: Unexpected token '}'/
        )
        assert.match(
          yield* complaint(read("a.ndjson", '{"a":1}\n17\n')),
          /^a\.ndjson: line 2: a record must be an object with columns, this one is 17/
        )
      })
    )

    it.effect("names the line of a CSV row with too few or too many columns", () =>
      Effect.gen(function* () {
        assert.strictEqual(
          yield* complaint(read("a.csv", 'a,b,c\n1,2,3\n"x\ny",2,3\n1,2\n')),
          "a.csv: line 5: Expected 3 cells, got 2"
        )
        assert.strictEqual(yield* complaint(read("a.csv", "a,b\n1,2,3\n")), "a.csv: line 2: Expected 2 cells, got 3")
        assert.strictEqual(yield* complaint(read("a.csv", 'a,b\n1,"2\n')), "a.csv: line 2: Unterminated quoted field")
      })
    )

    it.effect("names the line of bytes that are not UTF-8, also at the end of the file", () =>
      Effect.gen(function* () {
        const latin = Buffer.concat([Buffer.from("a,b\n1,2\nx,"), Buffer.from([0xff]), Buffer.from("\n")])
        assert.strictEqual(yield* complaint(read("a.csv", latin)), "a.csv: line 3: not UTF-8 text")
        assert.strictEqual(
          yield* complaint(read("a.ndjson", Buffer.from([0x7b, 0x7d, 0x0a, 0xe2, 0x82]))),
          "a.ndjson: line 2: not UTF-8 text"
        )
      })
    )

    it.effect("finds before anything is sent that there is nothing to send or no such column", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* complaint(surveyOf("a.json", "[]")), "a.json: has no records")
        assert.strictEqual(yield* complaint(surveyOf("a.csv", "a,b\n")), "a.csv: has no records")
        assert.strictEqual(
          yield* complaint(surveyOf("a.csv", "a,b\n1,2\n", "c")),
          'a.csv: has no column "c" for --key; its columns are a, b'
        )
      })
    )

    it.effect("finds before anything is sent a key that has no UTF-8 form", () =>
      Effect.gen(function* () {
        assert.match(
          yield* complaint(surveyOf("a.ndjson", '{"a":"x"}\n{"a":"\\ud800"}\n')),
          /^a\.ndjson: record 2: column a is not valid text/
        )
      })
    )
  })
})
