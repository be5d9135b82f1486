/**
 * Our driver in place of `aeronmd`: started by its path alone, with the variables that Aeron's own tests set, used by
 * Aeron's clients, ended by Aeron's `DriverTool`.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import type { Context } from "../Part.ts"
import { check, freePort, type Peer, runStream, sharedMemory } from "./Streams.ts"
import * as TheirTools from "./TheirTools.ts"

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

const useDropIn = async (context: Context, count: number, peer: Peer): Promise<void> => {
  const driver = start()
  try {
    await use(context, driver, count, peer)
  } finally {
    driver.kill()
    rmSync(join(driver.directory, ".."), { recursive: true, force: true })
  }
}

const use = async (
  { report }: Context,
  { directory, ended, stderr }: DropIn,
  count: number,
  peer: Peer
): Promise<void> => {
  const both = { publisherDirectory: directory, subscriberDirectory: directory, count }
  const stream = { publisher: peer, subscriber: peer, isExclusive: false, lengths: "32,100,5000" } as const
  // Nobody tells that it is ready. Clients wait for its file, but not longer than a busy machine may take.
  while (!existsSync(join(directory, "cnc.dat"))) {
    await setTimeout(50)
  }
  await runStream({ ...both, channel: "aeron:ipc", streamId: 1 }, stream)
  const udp = `aeron:udp?endpoint=localhost:${await freePort()}`
  await runStream({ ...both, channel: udp, streamId: 2, count: COUNT_WITH_LOSS }, stream)
  const counters = await TheirTools.run(peer, "AeronStat", directory)
  const isAsSet = ["threshold=7200s SHARED", "threshold=321us", "threshold=250ms"].every((text) =>
    counters.includes(text)
  )
  report.holds("the driver's thresholds are those of the variables", isAsSet, counters)
  const errors = await TheirTools.run(peer, "ErrorStat", directory)
  report.holds("the driver has recorded no error", errors.includes("0 distinct errors observed"), errors)
  await TheirTools.run(peer, "DriverTool", directory)
  const expected = { code: 0, stderr: "", isDirectoryThere: false }
  const actual = { code: await ended, stderr: stderr(), isDirectoryThere: existsSync(directory) }
  report.equal(
    "Aeron's DriverTool ends it",
    { name: "millrace-driver", value: actual },
    { name: "aeronmd", value: expected }
  )
}

export const run = (context: Context, count: number, peer: Peer): Promise<void> =>
  check(context, `millrace-driver in place of aeronmd carries streams of ${peer} with a tenth lost`, () =>
    useDropIn(context, count, peer)
  )
