import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as Millrace from "../support/Millrace.ts"

const LONG = 60_000

const captures = new URL("../../../core/test/fixtures/captures/", import.meta.url)
const capture = (name: string): string => fileURLToPath(new URL(name, captures))

const run = (...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const temporary = yield* Millrace.directory
    return yield* Millrace.run(args, { temporary })
  }).pipe(Effect.scoped)

describe("millrace frames", () => {
  it.live(
    "prints a line a frame with its time, its ends and its fields, and says what it left out",
    () =>
      Effect.gen(function* () {
        const { code, stderr, stdout } = yield* run("frames", capture("big-endian.pcap"))
        assert.strictEqual(code, 0)
        const lines = stdout.trimEnd().split("\n")
        assert.lengthOf(lines, 5)
        assert.match(lines[0]!, /^1700000000\.123456000 10\.0\.0\.1:50123 > 10\.0\.0\.2:40456 SETUP sessionId=12345 /)
        assert.match(lines[3]!, /\[2001:db8::1\]:50123 > \[2001:db8::2\]:40456 SETUP /)
        assert.strictEqual(stderr, "6 other packets are not shown\n")
      }),
    LONG
  )

  it.live(
    "gives scripts one object a datagram",
    () =>
      Effect.gen(function* () {
        const { code, stderr, stdout } = yield* run("frames", capture("loopback.pcapng"), "--port", "40456", "--json")
        assert.deepEqual({ code, stderr }, { code: 0, stderr: "" })
        const datagrams = stdout
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line))
        assert.lengthOf(datagrams, 18)
        assert.strictEqual(datagrams[0].target, "127.0.0.1:40456")
        assert.deepInclude(datagrams[0].frames[0], { _tag: "Setup", sessionId: 12345, termLength: 65536 })
      }),
    LONG
  )

  it.live(
    "names a file that is missing, is no capture, or was cut short, after the frames in front of the cut",
    () =>
      Effect.gen(function* () {
        const missing = yield* run("frames", "/no/such.pcap")
        assert.deepInclude(missing, { code: 2, stderr: "millrace: /no/such.pcap: no such file\n", stdout: "" })
        const other = yield* run("frames", capture("README.md"))
        assert.strictEqual(other.code, 2)
        assert.match(other.stderr, /neither pcap nor pcapng/)
        const cut = yield* Effect.gen(function* () {
          const temporary = yield* Millrace.directory
          const file = path.join(temporary, "cut.pcap")
          const whole = fs.readFileSync(capture("loopback.pcap"))
          fs.writeFileSync(file, whole.subarray(0, whole.length - 10))
          return yield* Millrace.run(["frames", file], { temporary })
        }).pipe(Effect.scoped)
        assert.strictEqual(cut.code, 2)
        assert.match(cut.stderr, /the capture is wrong at \d+/)
        assert.isAbove(cut.stdout.split("\n").length, 10)
      }),
    LONG
  )
})
