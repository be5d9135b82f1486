/** Finds out about the machine what a driver and a store depend on. What it tries it removes again. */
import * as FileLock from "@millrace/core/kernel/native/FileLock"
import * as FileSpace from "@millrace/core/kernel/native/FileSpace"
import * as Files from "@millrace/core/kernel/native/Files"
import * as Mapping from "@millrace/core/kernel/native/Mapping"
import * as Inspector from "@millrace/transport/Inspector"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import type { Clock, Disk, LeftBehind, MachineFacts, Space, Unusable } from "../doctor/MachineFacts.ts"
import * as ProcText from "../doctor/ProcText.ts"

const TRIAL_LENGTH = 64 * 1024
const SYNCS = 9
const SYNC_LENGTH = 4096
const CLOCK_WATCHED_MS = 200
const CLOCK_READS = 20_000
const CLOCK_ROUNDS = 5
const HEARTBEAT_AGE_MAX_MS = 10_000
const CLOCK_SOURCES = "/sys/devices/system/clocksource/clocksource0"

const manifest = createRequire(import.meta.url)("millrace/package.json") as {
  readonly engines: { readonly node: string }
}

/** What a file of the system says; undefined where there is none. */
const textOf = (file: string): string | undefined => {
  try {
    return fs.readFileSync(file, "utf8").trim()
  } catch {
    return undefined
  }
}

const numberOf = (file: string): number | undefined => {
  const text = textOf(file)
  return text === undefined ? undefined : Number(text)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const spaceOf = (directory: string): Space => ({
  directory,
  fileSystem: ProcText.fileSystemOf(textOf("/proc/self/mountinfo") ?? "", fs.realpathSync(directory)),
  ...FileSpace.available(directory)
})

/** A file of the trials in a directory that is there, gone afterwards. */
const withTrialFile = <A>(directory: string, use: (file: string) => A): A => {
  const file = path.join(directory, `millrace-doctor-${process.pid}`)
  try {
    return use(file)
  } finally {
    fs.rmSync(file, { force: true })
  }
}

const isPossible = (run: () => unknown): boolean => {
  try {
    run()
    return true
  } catch {
    return false
  }
}

const tryMapping = (file: string): void => {
  const region = Mapping.create(file, TRIAL_LENGTH, { reserve: true })
  try {
    region.buffer().bytes[0] = 1
    region.sync()
  } finally {
    region.close()
  }
}

const sharedMemoryOf = (directory: string): Space | Unusable => {
  try {
    fs.accessSync(directory, fs.constants.W_OK)
    return spaceOf(directory)
  } catch (error) {
    return { directory, problem: messageOf(error) }
  }
}

const nativeProblem = (directory: string): string | undefined => {
  try {
    withTrialFile(directory, tryMapping)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

const koffiVersion = (): string | undefined => {
  try {
    // It is core's dependency, and found from there.
    const fromCore = createRequire(import.meta.resolve("@millrace/core"))
    return `koffi ${(fromCore("koffi") as { readonly version: string }).version}`
  } catch {
    return undefined
  }
}

/** The nearest directory that is there: a store may still have to be made. */
const existing = (directory: string): string => {
  const absolute = path.resolve(directory)
  return fs.existsSync(absolute) || absolute === path.dirname(absolute) ? absolute : existing(path.dirname(absolute))
}

const filesIn = (directory: string): number =>
  fs.existsSync(path.join(directory, "commitlog"))
    ? fs.readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length
    : 0

const syncMs = (file: string): number => {
  const fd = Files.openOrCreate(file)
  try {
    const bytes = new Uint8Array(SYNC_LENGTH)
    const times = Array.from({ length: SYNCS }, (_, index) => {
      const start = performance.now()
      fs.writeSync(fd, bytes, 0, SYNC_LENGTH, index * SYNC_LENGTH)
      Files.syncData(fd, file)
      return performance.now() - start
    })
    return times.toSorted((a, b) => a - b)[SYNCS >>> 1]!
  } finally {
    Files.close(fd)
  }
}

const onDescriptor = (file: string, use: (fd: number) => void): void => {
  const fd = Files.openOrCreate(file)
  try {
    use(fd)
  } finally {
    Files.close(fd)
  }
}

const canPunch = (file: string): boolean => {
  let isPunched = false
  onDescriptor(file, (fd) => {
    FileSpace.reserve(fd, 0, TRIAL_LENGTH, file)
    isPunched = FileSpace.punchHole(fd, 0, TRIAL_LENGTH, file)
  })
  return isPunched
}

const diskOf = (directory: string): Disk | Unusable => {
  try {
    const place = existing(directory)
    fs.accessSync(place, fs.constants.W_OK)
    const trial = <A>(use: (file: string) => A): A => withTrialFile(place, use)
    return {
      ...spaceOf(place),
      directory: place,
      canReserve: trial((file) =>
        isPossible(() => onDescriptor(file, (fd) => FileSpace.reserve(fd, 0, TRIAL_LENGTH, file)))
      ),
      canPunch: process.platform !== "linux" || trial((file) => isPossible(() => canPunch(file)) && canPunch(file)),
      canMap: trial((file) => isPossible(() => tryMapping(file))),
      canLock: trial((file) => isPossible(() => FileLock.tryLock(file)?.release())),
      syncMs: trial(syncMs),
      storeFiles: filesIn(place)
    }
  } catch (error) {
    return { directory, problem: messageOf(error) }
  }
}

const nanosecondsARead = (): number => {
  const rounds = Array.from({ length: CLOCK_ROUNDS }, () => {
    const start = performance.now()
    for (let read = 0; read < CLOCK_READS; read++) {
      performance.now()
    }
    return ((performance.now() - start) * 1e6) / CLOCK_READS
  })
  return Math.round(Math.min(...rounds))
}

const offsetMs = (): number => Date.now() - performance.now()

const clockOf = Effect.gen(function* (): Effect.fn.Return<Clock> {
  const source = textOf(`${CLOCK_SOURCES}/current_clocksource`)
  const sources = textOf(`${CLOCK_SOURCES}/available_clocksource`)?.split(/\s+/) ?? []
  const before = offsetMs()
  const readNs = nanosecondsARead()
  yield* Effect.sleep(CLOCK_WATCHED_MS)
  return { source, sources, readNs, stepMs: offsetMs() - before, watchedMs: CLOCK_WATCHED_MS }
})

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

const bytesIn = (directory: string): number =>
  fs
    .readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { name, parentPath }) => {
      const { blocks = 0 } = fs.statSync(path.join(parentPath, name), { throwIfNoEntry: false }) ?? {}
      return sum + blocks * 512
    }, 0)

const leftBehindAt = (directory: string): Effect.Effect<ReadonlyArray<LeftBehind>> =>
  Inspector.open({ directory }).pipe(
    Effect.flatMap(({ status }) => status),
    Effect.map(({ heartbeatAgeMs, pid }) =>
      heartbeatAgeMs !== undefined && heartbeatAgeMs > HEARTBEAT_AGE_MAX_MS && !isAlive(pid)
        ? [{ directory, bytes: bytesIn(directory) }]
        : []
    ),
    Effect.scoped,
    // It may be another user's, or end in this moment.
    Effect.catch(() => Effect.succeed([]))
  )

const leftBehindIn = (directory: string): Effect.Effect<ReadonlyArray<LeftBehind>> =>
  Effect.suspend(() => {
    const names = fs.existsSync(directory) ? fs.readdirSync(directory) : []
    const drivers = names
      .map((name) => path.join(directory, name))
      .filter((driver) => fs.existsSync(path.join(driver, "cnc.dat")))
    return Effect.map(Effect.forEach(drivers, leftBehindAt), (found) => found.flat())
  })

export interface Places {
  /** Where drivers have their directories. */
  readonly drivers: string
  readonly store: string
}

export const machineFacts = Effect.fnUntraced(function* ({ drivers, store }: Places): Effect.fn.Return<MachineFacts> {
  const limits = textOf("/proc/self/limits") ?? ""
  const clock = yield* clockOf
  const leftBehind = yield* leftBehindIn(drivers)
  return {
    nodeVersion: process.version,
    nodeVersionMin: manifest.engines.node.replace(/^\D+/, ""),
    platform: process.platform,
    arch: process.arch,
    nativeProblem: nativeProblem(fs.existsSync(drivers) ? drivers : existing(store)),
    koffiVersion: koffiVersion(),
    sharedMemory: sharedMemoryOf(drivers),
    leftBehind,
    receiveBufferMax: numberOf("/proc/sys/net/core/rmem_max"),
    sendBufferMax: numberOf("/proc/sys/net/core/wmem_max"),
    mapCountMax: numberOf("/proc/sys/vm/max_map_count"),
    clock,
    disk: diskOf(store),
    descriptors: ProcText.limit(limits, "Max open files"),
    lockedMemory: ProcText.limit(limits, "Max locked memory")
  }
})
