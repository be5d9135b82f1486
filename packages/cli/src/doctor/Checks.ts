/** Judges what was found out about a machine. A function of the facts alone. */
import { bytes, duration, grouped } from "../output/Quantity.ts"
import * as Check from "./Check.ts"
import * as DiskChecks from "./DiskChecks.ts"
import { isUnusable, type MachineFacts } from "./MachineFacts.ts"

const MIB = 1 << 20

/** What Aeron's guide asks for. Its default of 128 KiB works, and loses datagrams sooner. */
const SOCKET_BUFFER_WANTED = 2 * MIB
const SOCKET_BUFFER_MIN = 128 * 1024
/** A driver takes 8 MiB, a publication of the default term length 192 MiB (48 MiB over the network). */
const SHARED_MEMORY_WANTED = 512 * MIB
const SHARED_MEMORY_MIN = 64 * MIB
/** What most systems begin with. */
const MAP_COUNT_WANTED = 65_530
const MAP_COUNT_MIN = 4096
/** Mappings of the program itself: libraries, V8's heap, logs of streams. */
const MAP_COUNT_OTHERS = 2000
const DESCRIPTORS_WANTED = 4096
const DESCRIPTORS_MIN = 256
/** A file of the log, which is locked with `warmMapedFileEnable`, or a buffer of the transient pool. */
const LOCKED_MEMORY_WANTED = 1024 * MIB
/** Clocks that are read without a call of the system. */
const FAST_CLOCKS: ReadonlySet<string> = new Set([
  "tsc",
  "kvm-clock",
  "hyperv_clocksource_tsc_page",
  "arch_sys_counter"
])
const CLOCK_READ_NS_MAX = 1000
/** The time of day has a resolution of a millisecond. */
const CLOCK_STEP_MS_MAX = 5

type Judge = (facts: MachineFacts) => ReadonlyArray<Check.Check>

const numbersOf = (version: string): ReadonlyArray<number> => version.replace(/^v/, "").split(".").map(Number)

const isOlder = (version: string, than: string): boolean => {
  const [left, right] = [numbersOf(version), numbersOf(than)]
  const place = right.findIndex((number, index) => number !== (left[index] ?? 0))
  return place >= 0 && (left[place] ?? 0) < right[place]!
}

const node: Judge = ({ nodeVersion, nodeVersionMin }) => [
  Check.of({
    name: "Node",
    status: isOlder(nodeVersion, nodeVersionMin) ? "fail" : "ok",
    value: nodeVersion,
    limit: `${nodeVersionMin} or newer`,
    why: "Effect 4 and the types in the sources need it",
    mend: "nvm install --lts"
  })
]

const native: Judge = ({ arch, koffiVersion, nativeProblem, platform }) => [
  Check.of({
    name: "koffi",
    status: nativeProblem === undefined ? "ok" : "fail",
    value: nativeProblem ?? `${koffiVersion ?? "loaded"} on ${platform}-${arch}; a file was mapped`,
    limit: "loads on Linux or macOS, x64 or arm64",
    why: "maps the memory that processes share",
    mend: "npm install --include=optional koffi"
  })
]

const sharedMemory: Judge = ({ leftBehind, platform, sharedMemory: place }) => {
  const name = "shared memory"
  const limit = `${bytes(SHARED_MEMORY_WANTED)} free, at least ${bytes(SHARED_MEMORY_MIN)}`
  const why = "logs of streams lie in it; one that is full refuses new streams"
  if (isUnusable(place)) {
    const mend =
      platform === "linux" ? `sudo mount -t tmpfs -o mode=1777 tmpfs ${place.directory}` : `mkdir -p ${place.directory}`
    return [Check.of({ name, status: "fail", value: `${place.directory}: ${place.problem}`, limit, why, mend })]
  }
  const { directory, fileSystem, freeBytes, totalBytes } = place
  const isMemory = platform !== "linux" || fileSystem === "tmpfs" || fileSystem === "ramfs"
  const bySize = Check.atLeast(freeBytes, SHARED_MEMORY_WANTED, SHARED_MEMORY_MIN)
  return [
    Check.of({
      name,
      status: bySize === "ok" && !isMemory ? "warn" : bySize,
      value: `${directory} (${fileSystem ?? "unknown"}): ${bytes(freeBytes)} of ${bytes(totalBytes)} free`,
      limit: isMemory ? limit : `${limit}, in memory`,
      why,
      mend: `sudo mount -o remount,size=2g ${directory}    # in a container: docker run --shm-size=2g`
    }),
    ...(leftBehind.length === 0
      ? []
      : [
          Check.of({
            name: "left behind",
            status: "warn",
            value: `${leftBehind.length === 1 ? leftBehind[0]!.directory : `${leftBehind.length} directories`}, ${bytes(sum(leftBehind.map(({ bytes }) => bytes)))}`,
            limit: "no directory of a driver that has died",
            why: "it takes memory until it is removed, or a driver is started there",
            mend: `rm -r ${leftBehind.map(({ directory }) => directory).join(" ")}`
          })
        ])
  ]
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, number) => total + number, 0)

const socketBuffer = (name: string, key: string, value: number | undefined): ReadonlyArray<Check.Check> =>
  value === undefined
    ? []
    : [
        Check.of({
          name,
          status: Check.atLeast(value, SOCKET_BUFFER_WANTED, SOCKET_BUFFER_MIN),
          value: `${key} is ${grouped(value)}`,
          limit: `${grouped(SOCKET_BUFFER_WANTED)}, at least ${grouped(SOCKET_BUFFER_MIN)}`,
          why: "a buffer that is full loses datagrams, which have to be sent again",
          mend: `sudo sysctl -w ${key}=${SOCKET_BUFFER_WANTED}`
        })
      ]

const sockets: Judge = ({ receiveBufferMax, sendBufferMax }) => [
  ...socketBuffer("receive buffers", "net.core.rmem_max", receiveBufferMax),
  ...socketBuffer("send buffers", "net.core.wmem_max", sendBufferMax)
]

const mappings: Judge = ({ disk, mapCountMax }) => {
  if (mapCountMax === undefined) {
    return []
  }
  const files = isUnusable(disk) ? 0 : disk.storeFiles
  const wanted = Math.max(MAP_COUNT_WANTED, files + MAP_COUNT_OTHERS)
  return [
    Check.of({
      name: "mappings",
      status: Check.atLeast(mapCountMax, wanted, MAP_COUNT_MIN),
      value: `vm.max_map_count is ${grouped(mapCountMax)}`,
      limit: `${grouped(wanted)}${files > 0 ? ` for the ${grouped(files)} files of the store` : ""}`,
      why: "files beyond it are read and written by a call of the system each time",
      mend: `sudo sysctl -w vm.max_map_count=${Math.max(655_360, 2 * wanted)}`
    })
  ]
}

const clock: Judge = ({ clock: { readNs, source, sources, stepMs, watchedMs } }) => {
  const isFast = source === undefined || FAST_CLOCKS.has(source)
  const better = sources.find((name) => FAST_CLOCKS.has(name))
  return [
    Check.of({
      name: "clock source",
      status: isFast && readNs <= CLOCK_READ_NS_MAX ? "ok" : "warn",
      value: `${source ?? "the system's"}, read in ${grouped(readNs)} ns`,
      limit: `read in ${grouped(CLOCK_READ_NS_MAX)} ns or less`,
      why: "agents read the clock in each turn",
      mend:
        better === undefined || isFast
          ? "cat /sys/devices/system/clocksource/clocksource0/available_clocksource"
          : `echo ${better} | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource`
    }),
    Check.of({
      name: "clock steps",
      status: Math.abs(stepMs) <= CLOCK_STEP_MS_MAX ? "ok" : "warn",
      value: `the time of day moved by ${duration(Math.abs(stepMs))} within ${duration(watchedMs)}`,
      limit: `${CLOCK_STEP_MS_MAX} ms: set by slewing, not by steps`,
      why: "heartbeats and store times are times of day",
      mend: "sudo systemctl enable --now chrony"
    })
  ]
}

const limits: Judge = ({ descriptors, lockedMemory }) => [
  ...(descriptors === undefined
    ? []
    : [
        Check.of({
          name: "open files",
          status: Check.atLeast(descriptors.soft, DESCRIPTORS_WANTED, DESCRIPTORS_MIN),
          value: grouped(descriptors.soft),
          limit: `${grouped(DESCRIPTORS_WANTED)}, at least ${DESCRIPTORS_MIN}`,
          why: "sockets, and files that are not mapped or are being synced",
          mend:
            descriptors.hard >= DESCRIPTORS_WANTED
              ? `ulimit -n ${DESCRIPTORS_WANTED}`
              : `sudo prlimit --nofile=${DESCRIPTORS_WANTED}:${DESCRIPTORS_WANTED} --pid $$`
        })
      ]),
  ...(lockedMemory === undefined
    ? []
    : [
        Check.of({
          name: "locked memory",
          status: lockedMemory.soft >= LOCKED_MEMORY_WANTED ? "ok" : "warn",
          value: lockedMemory.soft === Infinity ? "unlimited" : bytes(lockedMemory.soft),
          limit: bytes(LOCKED_MEMORY_WANTED),
          why: "only for warmMapedFileEnable and transientStorePoolEnable, which go without locks otherwise",
          mend: "sudo prlimit --memlock=unlimited:unlimited --pid $$"
        })
      ])
]

/** Every check that this machine has something to say about, in the order in which one would mend them. */
export const of: Judge = (facts) =>
  [node, native, sharedMemory, sockets, mappings, clock, DiskChecks.of, limits].flatMap((judge) => judge(facts))
