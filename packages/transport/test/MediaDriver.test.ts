import * as fs from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mountSmallFileSystem, noMountReason } from "@millrace/testkit/smallFileSystem"
import { startScript } from "@millrace/testkit/runScript"
import { temporaryDirectory } from "@millrace/testkit/temporaryDirectory"
import * as Client from "../src/Client.ts"
import * as CncDescriptor from "../src/command/CncDescriptor.ts"
import * as MediaDriver from "../src/MediaDriver.ts"
import * as MediaDriverConfig from "../src/MediaDriverConfig.ts"
import * as Publication from "../src/Publication.ts"
import * as Subscription from "../src/Subscription.ts"
import type { TransportError } from "../src/TransportError.ts"

const driverProcess = new URL("fixtures/driverProcess.ts", import.meta.url)
const resourcesProcess = new URL("fixtures/resourcesProcess.ts", import.meta.url)

/** The reason that an effect fails with. */
const reasonOf = <A, R>(
  effect: Effect.Effect<A, TransportError, R>
): Effect.Effect<TransportError["reason"], never, R> =>
  Effect.flip(effect).pipe(
    Effect.map(({ reason }) => reason),
    Effect.catch(() => Effect.die("it did not fail"))
  )

const start = (options: MediaDriverConfig.MediaDriverOptions) =>
  Effect.scoped(Effect.asVoid(Layer.build(MediaDriver.layer(options))))

const modeOf = (path: string): number => fs.statSync(path).mode & 0o777

describe("MediaDriver", () => {
  it.live("makes a directory of its own user, with a CnC file as long as Aeron's", () =>
    Effect.gen(function* () {
      const directory = join(temporaryDirectory(), "driver")
      yield* Layer.build(MediaDriver.layer({ directory }))
      assert.strictEqual(modeOf(directory), 0o700)
      assert.strictEqual(modeOf(join(directory, "cnc.dat")), 0o600)
      assert.strictEqual(fs.statSync(join(directory, "cnc.dat")).size, 48_238_592)
      assert.strictEqual(fs.statSync(join(directory, "loss-report.dat")).size, 1024 * 1024)
      assert.isTrue(fs.statSync(join(directory, "publications")).isDirectory())
      assert.isTrue(fs.statSync(join(directory, "images")).isDirectory())
    }).pipe(Effect.scoped)
  )

  it.live("keeps its directory at the end, or removes it when told", () =>
    Effect.gen(function* () {
      const root = temporaryDirectory()
      yield* start({ directory: join(root, "kept") })
      yield* start({ directory: join(root, "removed"), dirDeleteOnShutdown: true })
      assert.deepStrictEqual(fs.readdirSync(root), ["kept"])
    })
  )

  it.live("starts again in the directory of a driver that shut down", () =>
    Effect.gen(function* () {
      const directory = temporaryDirectory()
      yield* start({ directory })
      yield* start({ directory })
    })
  )

  it.live("refuses a directory in which a driver is active, naming its process", () =>
    Effect.gen(function* () {
      const directory = temporaryDirectory()
      yield* Layer.build(MediaDriver.layer({ directory }))
      for (const threading of ["shared", "sharedNetwork", "dedicated", "invoker"] as const) {
        const reason = yield* reasonOf(start({ directory, threading }))
        assert(reason._tag === "DriverActive")
        assert.strictEqual(reason.pid, process.pid)
        assert.include(reason.message, `pid ${process.pid}`)
      }
      assert.isTrue(fs.existsSync(join(directory, "cnc.dat")))
    }).pipe(Effect.scoped)
  )

  it.live("takes over the directory of a driver that was killed", () =>
    Effect.gen(function* () {
      const directory = temporaryDirectory()
      const driver = startScript(driverProcess, [directory])
      yield* Effect.promise(() => driver.line("ready"))
      driver.process.kill("SIGKILL")
      yield* Effect.promise(() => driver.ended)
      yield* start({ directory })
    })
  )

  it.live("refuses the directory of a driver whose process it cannot see but whose heartbeat goes on", () =>
    Effect.gen(function* () {
      const directory = temporaryDirectory()
      yield* Layer.build(MediaDriver.layer({ directory }))
      // What a process in another container sees of it: a pid that means nothing here.
      const cnc = fs.openSync(join(directory, "cnc.dat"), "r+")
      const pid = Buffer.alloc(8)
      pid.writeBigInt64LE(2n ** 31n - 1n)
      fs.writeSync(cnc, pid, 0, 8, CncDescriptor.PID_OFFSET)
      fs.closeSync(cnc)
      const refused = yield* reasonOf(start({ directory }))
      assert.strictEqual(refused._tag, "DriverActive")
    }).pipe(Effect.scoped)
  )

  it.live("saves the errors of a driver whose directory it takes over", () =>
    Effect.gen(function* () {
      const root = temporaryDirectory()
      const directory = join(root, "driver")
      yield* Effect.gen(function* () {
        yield* reasonOf(Effect.scoped(Publication.make({ channel: "aeron:ipc?term-length=5k", streamId: 1 })))
      }).pipe(Effect.provide(Client.layer), Effect.provide(MediaDriver.layer({ directory })))
      yield* start({ directory })
      const saved = fs.readdirSync(root).find((name) => name.startsWith("driver-") && name.endsWith("-error.log"))
      assert(saved !== undefined)
      assert.include(fs.readFileSync(join(root, saved), "utf8"), "term-length=5120")
    })
  )

  it.live("runs until a client terminates it, if that is allowed", () =>
    Effect.gen(function* () {
      const directory = temporaryDirectory()
      const driver = startScript(driverProcess, [directory, "allowTermination=true"])
      yield* Effect.promise(() => driver.line("ready"))
      assert.isTrue(yield* MediaDriver.requestTermination({ directory }))
      const ended = yield* Effect.promise(() => driver.ended)
      assert.strictEqual(ended.code, 0)
      assert.include(ended.stdout, "terminated")
      assert.strictEqual(ended.stderr, "")
      assert.isFalse(yield* MediaDriver.requestTermination({ directory: join(directory, "none") }))
    })
  )

  it.live("is one driver when one layer is provided at two places", () =>
    Effect.gen(function* () {
      const layer = MediaDriver.layerEmbedded({ threading: "invoker" })
      const directory = Effect.map(MediaDriver.CurrentDriver, (driver) => driver.directory)
      const both = Layer.mergeAll(
        Layer.effectDiscard(directory).pipe(Layer.provide(layer)),
        Layer.effectDiscard(directory).pipe(Layer.provide(layer))
      )
      const [first, second] = yield* Effect.all([
        Effect.provide(directory, layer),
        Effect.provide(directory, layer)
      ]).pipe(Effect.provide(both), Effect.provide(layer))
      assert.strictEqual(first, second)
    })
  )

  it.live("hands its directory to clients and removes it with everything in it", () =>
    Effect.gen(function* () {
      const directory = yield* Effect.gen(function* () {
        const driver = yield* MediaDriver.MediaDriver
        const client = yield* Client.Client
        assert.strictEqual(client.directory, driver.directory)
        assert.isTrue(fs.existsSync(driver.directory))
        return driver.directory
      }).pipe(Effect.provide(Client.layer), Effect.provide(MediaDriver.layerEmbedded()))
      assert.isFalse(fs.existsSync(directory))
    })
  )

  it.live.each(["shared", "sharedNetwork", "dedicated", "invoker"] as const)(
    "leaves no mapping, descriptor, directory or handle behind, with threading %s",
    (threading) =>
      Effect.gen(function* () {
        for (const ending of ["completed", "interrupted"]) {
          const { stderr, stdout } = yield* Effect.promise(
            () => startScript(resourcesProcess, [threading, ending]).ended
          )
          assert.strictEqual(stderr, "")
          assert.deepStrictEqual(
            JSON.parse(stdout),
            { mappings: 0, descriptors: 0, directories: 0, active: [] },
            ending
          )
        }
      })
  )

  it.live.skipIf(noMountReason !== undefined)("fits four streams of an embedded driver into 64 MB", () =>
    Effect.gen(function* () {
      const directory = join(mountSmallFileSystem(64 * 1024 * 1024), "driver")
      yield* Effect.gen(function* () {
        for (let streamId = 1; streamId <= 4; streamId++) {
          const publication = yield* Publication.make({ channel: "aeron:ipc", streamId })
          assert.strictEqual(publication.maxMessageLength, (4 * 1024 * 1024) / 8)
        }
        const reason = yield* reasonOf(Publication.make({ channel: "aeron:ipc", streamId: 5 }))
        assert(reason._tag === "StorageSpace")
        assert.match(reason.message, /12587008 bytes are needed, \d+ are available/)
        assert.include(reason.message, "--shm-size")
        assert.strictEqual(fs.readdirSync(join(directory, "publications")).length, 4)
      }).pipe(Effect.scoped, Effect.provide(Client.layer), Effect.provide(MediaDriver.layerEmbedded({ directory })))
    })
  )

  it.live.skipIf(noMountReason !== undefined)("takes shorter terms where the directory is small", () =>
    Effect.gen(function* () {
      const directory = join(mountSmallFileSystem(16 * 1024 * 1024), "driver")
      const publication = yield* Effect.scoped(Publication.make({ channel: "aeron:ipc", streamId: 1 })).pipe(
        Effect.provide(Client.layer),
        Effect.provide(MediaDriver.layerEmbedded({ directory }))
      )
      assert.strictEqual(publication.maxMessageLength, (1024 * 1024) / 8)
    })
  )

  it.live.skipIf(noMountReason !== undefined)("says what is needed when there is no room for its own files", () =>
    Effect.gen(function* () {
      const root = mountSmallFileSystem(1024 * 1024)
      const directory = join(root, "driver")
      const reason = yield* reasonOf(Effect.scoped(Layer.build(MediaDriver.layerEmbedded({ directory }))))
      assert.strictEqual(reason._tag, "SystemFailed")
      assert.match(reason.message, /needs \d+ bytes, its file system has/)
      assert.deepStrictEqual(fs.readdirSync(root), [])
    })
  )

  it.live(
    "wakes a parked driver of its own process for each command",
    () =>
      Effect.gen(function* () {
        // The driver parks for 100 ms: without the wake so many commands would take longer than the test may.
        yield* Effect.sleep(300)
        for (let streamId = 1; streamId <= 400; streamId++) {
          yield* Subscription.make({ channel: "aeron:ipc", streamId })
        }
      }).pipe(
        Effect.scoped,
        Effect.provide(Client.layer),
        Effect.provide(MediaDriver.layerEmbedded({ idle: { _tag: "Sleeping", sleepNs: 100_000_000 } }))
      ),
    30_000
  )
})

describe("MediaDriverConfig", () => {
  it.effect("has Aeron's defaults but for sparse files", () =>
    Effect.gen(function* () {
      const settings = yield* MediaDriverConfig.conclude({})
      assert.strictEqual(settings.ipcTermBufferLength, 64 * 1024 * 1024)
      assert.strictEqual(settings.clientLivenessTimeout, 10e9)
      assert.strictEqual(settings.publicationUnblockTimeout, 15e9)
      assert.isFalse(settings.termBufferSparseFile)
    })
  )

  it.effect("lets dependent times follow a shorter client liveness timeout, unless they are given", () =>
    Effect.gen(function* () {
      const settings = yield* MediaDriverConfig.conclude({ clientLivenessTimeout: "2 seconds" })
      assert.strictEqual(settings.timerInterval, 500e6)
      assert.strictEqual(settings.publicationUnblockTimeout, 3e9)
      const given = yield* MediaDriverConfig.conclude({ clientLivenessTimeout: "2 seconds", timerInterval: "1 second" })
      assert.strictEqual(given.timerInterval, 1e9)
    })
  )

  it.effect.each<[keyof MediaDriverConfig.Settings, MediaDriverConfig.MediaDriverOptions]>([
    ["ipcTermBufferLength", { ipcTermBufferLength: 100_000 }],
    ["ipcTermBufferLength", { ipcTermBufferLength: 1024 }],
    ["mtuLength", { mtuLength: 1400 }],
    ["toDriverBufferLength", { toDriverBufferLength: 1024 * 1024 }],
    ["publicationUnblockTimeout", { publicationUnblockTimeout: "5 seconds" }],
    ["timerInterval", { timerInterval: "20 seconds" }],
    ["clientLivenessTimeout", { clientLivenessTimeout: 0 }],
    ["maxResend", { maxResend: 1000 }],
    ["reservedSessionIdHigh", { reservedSessionIdHigh: -5 }]
  ])("refuses a value of %s that cannot be", ([option, options]) =>
    Effect.gen(function* () {
      const reason = yield* reasonOf(MediaDriverConfig.conclude(options))
      assert(reason._tag === "InvalidOption")
      assert.strictEqual(reason.option, option)
      assert.include(reason.message, "allowed is")
    })
  )
})
