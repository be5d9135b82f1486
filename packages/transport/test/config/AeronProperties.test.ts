/** Aeron's variables and properties, and what they come to. */
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as IdleStrategy from "@millrace/core/IdleStrategy"
import { environmentVariable } from "../../src/config/Setting.ts"
import * as MediaDriverConfig from "../../src/MediaDriverConfig.ts"

const assign = (...pairs: ReadonlyArray<readonly [name: string, value: string]>) =>
  MediaDriverConfig.fromAeron(pairs.map(([name, value]) => ({ name, value, source: "environment" })))

const messagesOf = (warnings: ReadonlyArray<{ readonly message: string }>): ReadonlyArray<string> =>
  warnings.map(({ message }) => message)

const nanos = (value: unknown): bigint => Duration.toNanosUnsafe(value as Duration.Input)

describe("Aeron's variables and properties", () => {
  it("are one thing by two names", () => {
    for (const name of ["AERON_TERM_BUFFER_LENGTH", "aeron.term.buffer.length"]) {
      assert.deepStrictEqual(assign([name, "64k"]).options, { termBufferLength: 65_536 })
    }
  })

  it("replace earlier ones, and take them back with the empty text", () => {
    assert.deepStrictEqual(assign(["AERON_MTU_LENGTH", "4k"], ["aeron.mtu.length", "8k"]).options, { mtuLength: 8192 })
    assert.deepStrictEqual(assign(["AERON_MTU_LENGTH", "4k"], ["aeron.mtu.length", ""]).options, {})
  })

  it("have durations in nanoseconds, but those of the driver timeout in milliseconds", () => {
    const { options } = assign(["AERON_CLIENT_LIVENESS_TIMEOUT", "5000000000"], ["AERON_DRIVER_TIMEOUT", "5000"])
    assert.strictEqual(nanos(options.clientLivenessTimeout), 5_000_000_000n)
    assert.strictEqual(nanos(options.driverTimeout), 5_000_000_000n)
  })

  it("ask for lost data at once with a delay of 0, as Aeron's own tests have it", () => {
    const { options, warnings } = assign(["AERON_NAK_UNICAST_DELAY", "0"])
    assert.strictEqual(nanos(options.nakUnicastDelay), 0n)
    assert.deepStrictEqual(warnings, [])
  })

  it("name strategies by Aeron's functions and classes", () => {
    const { options, warnings } = assign(
      ["AERON_UNICAST_FLOWCONTROL_SUPPLIER", "aeron_min_flow_control_strategy_supplier"],
      ["aeron.multicast.flow.control.strategy", "io.aeron.driver.TaggedMulticastFlowControl"],
      ["AERON_CONGESTIONCONTROL_SUPPLIER", "aeron_cubic_congestion_control_strategy_supplier"],
      ["AERON_DRIVER_TERMINATION_VALIDATOR", "allow"]
    )
    assert.deepStrictEqual(warnings, [])
    assert.deepStrictEqual(options, {
      unicastFlowControl: "min",
      multicastFlowControl: "tagged",
      congestionControl: "cubic",
      allowTermination: true
    })
  })

  it("keep the default for what is no value, and say so", () => {
    const { options, warnings } = assign(["AERON_MTU_LENGTH", "long"], ["AERON_THREADING_MODE", "MANY"])
    assert.deepStrictEqual(options, {})
    assert.deepStrictEqual(messagesOf(warnings), [
      "AERON_MTU_LENGTH=long is not valid: allowed is bytes from 64 to 65504; the default is used",
      "AERON_THREADING_MODE=MANY is not valid: allowed is DEDICATED, SHARED, SHARED_NETWORK, INVOKER; the default is used"
    ])
  })

  it("are taken back to the limits, and that is said", () => {
    const { options, warnings } = assign(["aeron.mtu.length", "1m"])
    assert.deepStrictEqual(options, { mtuLength: 65_504 })
    assert.deepStrictEqual(messagesOf(warnings), [
      "aeron.mtu.length=1m is beyond its limits: allowed is bytes from 64 to 65504; 65504 is used"
    ])
  })

  it("are listed when they mean nothing here, with the reason", () => {
    const { ignored } = assign(["AERON_FOO", "1"], ["AERON_THREAD_NAMING", "new"], ["AERON_SOCKET_MULTICAST_TTL", "4"])
    assert.deepStrictEqual(
      ignored.map(({ name, reason }) => `${name} ${reason}`),
      [
        "AERON_FOO is not known",
        "AERON_THREAD_NAMING has no meaning for this driver",
        "AERON_SOCKET_MULTICAST_TTL belongs to multicast, which this driver does not have yet"
      ]
    )
  })

  it("choose the idle strategy of each kind of thread, whatever the threading mode", () => {
    const idles = [
      ["AERON_SHARED_IDLE_STRATEGY", "yield"],
      ["AERON_SHAREDNETWORK_IDLE_STRATEGY", "noop"],
      ["AERON_CONDUCTOR_IDLE_STRATEGY", "backoff"],
      ["aeron.sender.idle.strategy", "org.agrona.concurrent.BusySpinIdleStrategy"],
      ["AERON_RECEIVER_IDLE_STRATEGY", "sleep-ns"],
      ["AERON_RECEIVER_IDLE_STRATEGY_INIT_ARGS", "2ms"]
    ] as const
    const expected = {
      sharedIdle: IdleStrategy.yielding,
      sharedNetworkIdle: IdleStrategy.busySpin,
      conductorIdle: IdleStrategy.backoff(),
      senderIdle: IdleStrategy.busySpin,
      receiverIdle: IdleStrategy.sleeping(2_000_000)
    }
    assert.deepStrictEqual(assign(...idles).options, expected)
    const { threading, ...options } = assign(...idles, ["AERON_THREADING_MODE", "DEDICATED"]).options
    assert.deepStrictEqual([threading, options], ["dedicated", expected])
  })

  it("let the one thread idle as the receiver would, where no mode and no strategy of it is named", () => {
    const receiver = ["AERON_RECEIVER_IDLE_STRATEGY", "spin"] as const
    assert.deepStrictEqual(assign(receiver).options.sharedIdle, IdleStrategy.busySpin)
    assert.isUndefined(assign(receiver, ["AERON_THREADING_MODE", "SHARED"]).options.sharedIdle)
  })

  it("give a backoff its four numbers, or say what is wrong with them", () => {
    const name = "AERON_RECEIVER_IDLE_STRATEGY"
    assert.deepStrictEqual(assign([name, "backoff"], [`${name}_INIT_ARGS`, "1-2-3us-4ms"]).options.receiverIdle, {
      _tag: "Backoff",
      maxSpins: 1,
      maxYields: 2,
      minParkNs: 3000,
      maxParkNs: 4_000_000
    })
    const { options, warnings } = assign([name, "backoff"], [`${name}_INIT_ARGS`, "1-2"])
    assert.strictEqual(options.receiverIdle?._tag, "Backoff")
    assert.match(messagesOf(warnings).join(), /INIT_ARGS=1-2 is not valid/)
    assert.match(
      messagesOf(assign([name, "dream"]).warnings).join(),
      /AERON_RECEIVER_IDLE_STRATEGY=dream is not valid: allowed is backoff/
    )
  })

  it("have a variable for every option, and no two the same", () => {
    const variables = Object.values(MediaDriverConfig.settings).flatMap(({ aliases, property }) =>
      [property, ...aliases].map(environmentVariable)
    )
    assert.strictEqual(new Set(variables).size, variables.length)
  })
})

describe("properties files", () => {
  it("have a name and a value a line, comments, and lines that go on", () => {
    const text = [
      "# a comment \\",
      "! another",
      "",
      "  aeron.dir = /dev/shm/x",
      "aeron.mtu.length:4k",
      "aeron.name.resolver.init.args=a,b,c|\\",
      "    d,e=f,g",
      "aeron.resolver.name="
    ].join("\r\n")
    assert.deepStrictEqual(
      MediaDriverConfig.parseProperties(text, "file").map(({ name, value }) => [name, value]),
      [
        ["aeron.dir", "/dev/shm/x"],
        ["aeron.mtu.length", "4k"],
        ["aeron.name.resolver.init.args", "a,b,c|d,e=f,g"],
        ["aeron.resolver.name", ""]
      ]
    )
  })

  it("are refused with their line when one is none", () => {
    assert.throws(
      () => MediaDriverConfig.parseProperties("a=1\nnothing\n", "x.properties"),
      /x\.properties, line 2: "nothing" is no name=value/
    )
    assert.throws(() => MediaDriverConfig.parseProperties("=1", "x.properties"), /line 1/)
  })

  it.effect("that are written for a configuration give the same one", () =>
    Effect.gen(function* () {
      const concluded = yield* MediaDriverConfig.conclude({
        termBufferLength: 128 * 1024,
        imageLivenessTimeout: "7 seconds",
        congestionControl: "cubic",
        receiverGroupTag: 7n,
        receiverWildcardPortRange: "20700 20705",
        allowTermination: true
      })
      const idle = IdleStrategy.backoff({ maxSpins: 3 })
      const idles = { conductorIdle: IdleStrategy.yielding, sharedNetworkIdle: idle } as const
      const surroundings = { directory: "/dev/shm/d", threading: "sharedNetwork", ...idles } as const
      const text = MediaDriverConfig.toProperties(surroundings, concluded)
      assert.include(text, "# aeron.sender.idle.strategy is a park")
      const read = MediaDriverConfig.fromAeron(MediaDriverConfig.parseProperties(text, "dump"))
      assert.deepStrictEqual([read.warnings, read.ignored], [[], []])
      const { conductorIdle, directory, sharedNetworkIdle, threading, ...options } = read.options
      assert.deepStrictEqual({ conductorIdle, directory, sharedNetworkIdle, threading }, surroundings)
      assert.deepStrictEqual(yield* MediaDriverConfig.conclude(options), concluded)
    })
  )

  it.effect("give each idle strategy that Aeron has again, and keep the secrets", () =>
    Effect.gen(function* () {
      const concluded = yield* MediaDriverConfig.conclude({ terminationToken: "sesame" })
      const readBack = (idle?: IdleStrategy.IdleStrategy) => {
        const text = MediaDriverConfig.toProperties(
          { directory: "/x", ...(idle === undefined ? {} : { idle }) },
          concluded
        )
        assert.notInclude(text, "sesame")
        assert.include(text, "# millrace.termination.token is set")
        const { options } = MediaDriverConfig.fromAeron(MediaDriverConfig.parseProperties(text, "dump"))
        assert.deepStrictEqual(options.conductorIdle, options.sharedIdle)
        return options.sharedIdle
      }
      for (const idle of [
        IdleStrategy.busySpin,
        IdleStrategy.yielding,
        IdleStrategy.sleeping(7),
        IdleStrategy.backoff()
      ]) {
        assert.deepStrictEqual(readBack(idle), idle)
      }
      assert.isUndefined(readBack())
      assert.isUndefined(readBack(IdleStrategy.park()))
    })
  )
})
