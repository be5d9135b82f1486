/** Where `millrace driver` takes its options from, and what it refuses. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as DriverOptions from "../../src/internal/driverOptions.ts"
import * as Millrace from "../support/Millrace.ts"

const NOTHING: DriverOptions.Sources = { environment: {}, defines: [], files: [] }

const refusal = (sources: Partial<DriverOptions.Sources>) =>
  DriverOptions.conclude({ ...NOTHING, ...sources }).pipe(
    Effect.flip,
    Effect.map(({ message }) => message)
  )

describe("the options of millrace driver", () => {
  it.effect("are those of files over those of the command line over those of the environment", () =>
    Effect.gen(function* () {
      const file = path.join(yield* Millrace.directory, "driver.properties")
      fs.writeFileSync(file, "aeron.mtu.length=2k\naeron.unheard.of=1\n")
      const { ignored, options } = yield* DriverOptions.conclude({
        environment: { AERON_MTU_LENGTH: "8k", AERON_MAX_RESEND: "7", AERON_X: "1", PATH: "/bin", HOME: undefined },
        defines: ["aeron.mtu.length=4k", "aeron.max.resend=9", "aeron.thread.naming=new"],
        files: [`file://${file}`]
      })
      assert.deepStrictEqual(options, { mtuLength: 2048, maxResend: 9 })
      assert.deepStrictEqual(
        ignored.map(({ name, source }) => `${name} of ${source}`),
        ["AERON_X of environment", "aeron.thread.naming of command line", `aeron.unheard.of of file://${file}`]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("are refused by name when they are typed and not known, still to come, or not valid", () =>
    Effect.gen(function* () {
      for (const [define, message] of [
        ["aeron.nothing=1", "-Daeron.nothing: the option is not known"],
        ["aeron.dir", "-Daeron.dir: it must be -Dname=value"],
        ["=1", "-D=1: it must be -Dname=value"],
        [
          "aeron.socket.multicast.ttl=4",
          "-Daeron.socket.multicast.ttl: the option belongs to multicast, which this driver does not have yet"
        ],
        [
          "aeron.mtu.length=1m",
          "-Daeron.mtu.length: aeron.mtu.length=1m is beyond its limits: allowed is bytes from 64 to 65504; 65504 is used"
        ]
      ] as const) {
        assert.strictEqual(yield* refusal({ defines: [define] }), message)
      }
    })
  )

  it.effect("are refused with file and line when a file is none", () =>
    Effect.gen(function* () {
      const file = path.join(yield* Millrace.directory, "driver.properties")
      fs.writeFileSync(file, "aeron.dir=/x\naeron.dir\n")
      assert.include(yield* refusal({ files: [file] }), `${file}, line 2: "aeron.dir" is no name=value`)
      assert.include(yield* refusal({ files: [`${file}.none`] }), "ENOENT")
      assert.include(yield* refusal({ files: ["http://example.com/x"] }), "read from files, not from the network")
    }).pipe(Effect.scoped)
  )

  it("have the form of Java and aeronmd on the command line, for this command alone", () => {
    const args = ["-Daeron.dir=/x", "-D", "aeron.mtu.length=4k", "--dir", "-", "file"]
    assert.deepStrictEqual(DriverOptions.withDefines(["driver", ...args]), [
      "driver",
      "--define=aeron.dir=/x",
      "--define",
      "aeron.mtu.length=4k",
      "--dir",
      "-",
      "file"
    ])
    assert.deepStrictEqual(DriverOptions.withDefines(["publish", ...args]), ["publish", ...args])
  })
})
