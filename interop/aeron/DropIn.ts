/**
 * Our driver in place of `aeronmd`: started by its path alone, with the variables that Aeron's own tests set, used by
 * Java clients, ended by Aeron's `DriverTool`. And channels that are none, with the same answer from both drivers.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Client from "../../packages/transport/src/Client.ts"
import * as Publication from "../../packages/transport/src/Publication.ts"
import * as Subscription from "../../packages/transport/src/Subscription.ts"
import { CommandRefused, type TransportError } from "../../packages/transport/src/TransportError.ts"
import type { Context } from "../Part.ts"
import { java } from "./Process.ts"
import { check, freePort, runStream, sharedMemory, withDrivers } from "./Streams.ts"

const EXECUTABLE = join(import.meta.dirname, "../../packages/cli/bin/millrace-driver")
const NS_PER_MS = 1_000_000
/** A lost message waits for the next one, or the next heartbeat, to be missed. */
const COUNT_WITH_LOSS = 5000

/** As Aeron's tests start a driver of theirs: sizes in bytes, times in nanoseconds. */
const variablesOf = (directory: string): Readonly<Record<string, string>> => ({
  AERON_DIR: directory,
  AERON_CLIENT_LIVENESS_TIMEOUT: String(10_000 * NS_PER_MS),
  AERON_IMAGE_LIVENESS_TIMEOUT: String(10_000 * NS_PER_MS),
  AERON_DRIVER_TERMINATION_VALIDATOR: "allow",
  AERON_DIR_DELETE_ON_START: "false",
  AERON_DIR_DELETE_ON_SHUTDOWN: "true",
  AERON_TERM_BUFFER_SPARSE_FILE: "true",
  AERON_TERM_BUFFER_LENGTH: "65536",
  AERON_IPC_TERM_BUFFER_LENGTH: "1048576",
  AERON_FILE_PAGE_SIZE: "4096",
  AERON_PUBLICATION_UNBLOCK_TIMEOUT: String(15_000 * NS_PER_MS),
  AERON_PUBLICATION_CONNECTION_TIMEOUT: String(5000 * NS_PER_MS),
  AERON_PUBLICATION_LINGER_TIMEOUT: String(500 * NS_PER_MS),
  AERON_SPIES_SIMULATE_CONNECTION: "false",
  AERON_RCV_STATUS_MESSAGE_TIMEOUT: String(200 * NS_PER_MS),
  AERON_PERFORM_STORAGE_CHECKS: "false",
  AERON_THREADING_MODE: "SHARED",
  AERON_SHARED_IDLE_STRATEGY: "backoff",
  AERON_TIMER_INTERVAL: String(100 * NS_PER_MS),
  AERON_UNTETHERED_WINDOW_LIMIT_TIMEOUT: String(5000 * NS_PER_MS),
  AERON_UNTETHERED_RESTING_TIMEOUT: String(10_000 * NS_PER_MS),
  AERON_FLOW_CONTROL_GROUP_TAG: "-1",
  AERON_FLOW_CONTROL_GROUP_MIN_SIZE: "0",
  AERON_PRINT_CONFIGURATION: "true",
  AERON_SOCKET_SO_RCVBUF: "131072",
  AERON_SOCKET_SO_SNDBUF: "0",
  AERON_RCV_INITIAL_WINDOW_LENGTH: "131072",
  AERON_DRIVER_CONDUCTOR_CYCLE_THRESHOLD: String(7_200_000 * NS_PER_MS),
  AERON_DRIVER_SENDER_CYCLE_THRESHOLD: "321000",
  AERON_DRIVER_RECEIVER_CYCLE_THRESHOLD: String(250 * NS_PER_MS),
  AERON_DRIVER_NAME_RESOLVER_THRESHOLD: String(5000 * NS_PER_MS),
  AERON_UNICAST_FLOWCONTROL_SUPPLIER: "aeron_unicast_flow_control_strategy_supplier",
  AERON_MULTICAST_FLOWCONTROL_SUPPLIER: "aeron_max_multicast_flow_control_strategy_supplier",
  AERON_ENABLE_EXPERIMENTAL_FEATURES: "false",
  AERON_DRIVER_STREAM_SESSION_LIMIT: "2147483647",
  AERON_UDP_CHANNEL_INCOMING_INTERCEPTORS: "loss",
  AERON_UDP_CHANNEL_TRANSPORT_BINDINGS_LOSS_ARGS: "rate=0.1|seed=42|recv-msg-mask=0xF"
})

interface DropIn {
  readonly directory: string
  readonly ended: Promise<unknown>
  readonly kill: () => void
  readonly stderr: () => string
}

const start = (): DropIn => {
  const directory = join(mkdtempSync(join(sharedMemory(), "millrace-interop-")), "aeron")
  const driver = spawn(EXECUTABLE, [], { env: { PATH: process.env["PATH"], ...variablesOf(directory) } })
  let stderr = ""
  driver.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()))
  driver.stdout.resume()
  process.once("exit", () => driver.kill("SIGKILL"))
  const ended = once(driver, "close").then(([code]) => code as unknown)
  return { directory, ended, kill: () => driver.kill("SIGKILL"), stderr: () => stderr }
}

const useDropIn = async (context: Context, count: number): Promise<void> => {
  const driver = start()
  try {
    await use(context, driver, count)
  } finally {
    driver.kill()
    rmSync(join(driver.directory, ".."), { recursive: true, force: true })
  }
}

const use = async ({ report }: Context, { directory, ended, stderr }: DropIn, count: number): Promise<void> => {
  const both = { publisherDirectory: directory, subscriberDirectory: directory, count }
  const stream = { publisher: "java", subscriber: "java", isExclusive: false, lengths: "32,100,5000" } as const
  // Nobody tells that it is ready. Clients wait for its file, but not longer than a busy machine may take.
  while (!existsSync(join(directory, "cnc.dat"))) {
    await setTimeout(50)
  }
  await runStream({ ...both, channel: "aeron:ipc", streamId: 1 }, stream)
  const udp = `aeron:udp?endpoint=localhost:${await freePort()}`
  await runStream({ ...both, channel: udp, streamId: 2, count: COUNT_WITH_LOSS }, stream)
  const of = { "aeron.dir": directory }
  const counters = java("AeronStat", "io.aeron.samples.AeronStat", ["watch=false"], of)
  await counters.end("threshold=7200s SHARED")
  const isAsSet = ["threshold=321us", "threshold=250ms"].every((text) => counters.output.includes(text))
  report.holds("the driver's thresholds are those of the variables", isAsSet, counters.output)
  await java("ErrorStat", "io.aeron.samples.ErrorStat", [], of).end("0 distinct errors observed")
  await java("DriverTool", "io.aeron.samples.DriverTool", ["terminate"], of).end("")
  const expected = { code: 0, stderr: "", isDirectoryThere: false }
  const actual = { code: await ended, stderr: stderr(), isDirectoryThere: existsSync(directory) }
  report.equal(
    "Aeron's DriverTool ends it",
    { name: "millrace-driver", value: actual },
    { name: "aeronmd", value: expected }
  )
}

const UDP = "aeron:udp?endpoint=localhost:40999"

/** What is wrong with a publication's channel, and with a subscription's. */
const OF_PUBLICATIONS: ReadonlyArray<string> = [
  "term-length=5k",
  "term-length=x",
  "mtu=1400",
  "mtu=65504|term-length=64k",
  "pub-wnd=1024",
  "linger=fast",
  "session-id=many",
  "session-id=tag:99",
  "stream-id=1002",
  "init-term-id=7",
  "tags=1,-1",
  "max-resend=257",
  "init-term-id=7|term-id=7|term-offset=33",
  "response-correlation-id=-2",
  "fc=max",
  "so-sndbuf=x",
  "nak-delay=x",
  "gtag=x",
  "control-mode=dynamic",
  "interface=bogus",
  "interface=10.99.0.0/16",
  "channel-snd-ts-offset=x"
].map((parameters) => `${UDP}|${parameters}`)
const OF_SUBSCRIPTIONS: ReadonlyArray<string> = [
  "session-id=x",
  "session-id=tag:3",
  "init-term-id=7",
  "init-term-id=7|term-id=7|term-offset=33",
  "rcv-wnd=x",
  "rcv-wnd=4m",
  "so-rcvbuf=x",
  "gtag=x",
  "channel-rcv-ts-offset=x",
  "media-rcv-ts-offset=0"
].map((parameters) => `${UDP}|${parameters}`)
const OF_BOTH: ReadonlyArray<string> = [
  "aeron:udp",
  "aeron:udp?endpoint",
  "aeron:udp?endpoint=localhost",
  "aeron:udp?endpoint=localhost:99999",
  "aeron:tcp?endpoint=localhost:1",
  "bogus:udp?endpoint=localhost:1",
  "aeron:udp?mtu=1408",
  "aeron:udp?=x"
]

const FIRST_ENDPOINT_PORT = 41_000

/** Options of a socket that a second channel of it may not have otherwise, for a publication and for a subscription. */
const OF_ENDPOINTS: ReadonlyArray<readonly [first: string, second: string]> = [
  ["channel-snd-ts-offset=reserved", "channel-snd-ts-offset=8"],
  ["channel-rcv-ts-offset=0", "channel-rcv-ts-offset=-1"],
  ["so-sndbuf=64k", "so-sndbuf=128k"],
  ["so-rcvbuf=128k", "so-rcvbuf=256k"]
].map(([first, second], index) => {
  // A publication that was closed lingers, and its endpoint with it.
  const endpoint = `aeron:udp?endpoint=localhost:${FIRST_ENDPOINT_PORT + index}`
  return [`${endpoint}|${first}`, `${endpoint}|${second}`]
})

/** 0 = no error. */
const codeOf = <A>(made: Effect.Effect<A, TransportError, Client.Client | Scope.Scope>) =>
  Effect.scoped(made).pipe(
    Effect.match({
      onSuccess: () => 0,
      onFailure: ({ reason }) => (reason instanceof CommandRefused ? reason.code : -1)
    })
  )

const codes = (directory: string): Promise<Readonly<Record<string, number>>> =>
  Effect.gen(function* () {
    const streamId = 1001
    const answers: Record<string, number> = {}
    for (const channel of [...OF_PUBLICATIONS, ...OF_BOTH]) {
      answers[`publication ${channel}`] = yield* codeOf(Publication.make({ channel, streamId }))
    }
    for (const channel of [...OF_SUBSCRIPTIONS, ...OF_BOTH]) {
      answers[`subscription ${channel}`] = yield* codeOf(Subscription.make({ channel, streamId }))
    }
    for (const [first, second] of OF_ENDPOINTS) {
      const besidePublication = Effect.andThen(
        Publication.make({ channel: first, streamId }),
        codeOf(Publication.make({ channel: second, streamId }))
      )
      const besideSubscription = Effect.andThen(
        Subscription.make({ channel: first, streamId }),
        codeOf(Subscription.make({ channel: second, streamId }))
      )
      answers[`publication ${second} beside ${first}`] = yield* Effect.scoped(besidePublication)
      answers[`subscription ${second} beside ${first}`] = yield* Effect.scoped(besideSubscription)
    }
    return answers
  }).pipe(Effect.provide(Client.layerWith({ directory })), Effect.runPromise)

export const run = async (context: Context, count: number): Promise<void> => {
  await check(context, "millrace-driver in place of aeronmd carries Java's streams with a tenth lost", () =>
    useDropIn(context, count)
  )
  await withDrivers(["java", "millrace"], async (theirs, ours) => {
    context.report.equal(
      "the codes of bad channels",
      { name: "millrace", value: await codes(ours) },
      { name: "java", value: await codes(theirs) }
    )
  })
}
