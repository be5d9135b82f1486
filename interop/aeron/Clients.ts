/**
 * Aeron's clients on `millrace driver`: several at once, one that dies among them, and one that sees the driver die and
 * come back. And ours on Aeron's driver, of which one dies.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Context } from "../Part.ts"
import { cli, killAll } from "./Process.ts"
import { check, client, driverOf, freePort, type Peer, sharedMemory, type Side, withDrivers } from "./Streams.ts"

const LENGTHS = "32,100,8,1376"
const MESSAGE_LENGTH = 40
const CLIENT_LIVENESS_TIMEOUT_MS = 3000
const FIRST_STREAM_ID = 4001

/** What a client says when its driver is gone: the class of Java's exception, the number of C's error. */
const DRIVER_TIMEOUT: Readonly<Record<Peer, string>> = { java: "DriverTimeoutException", c: "1000" }

export const run = async (context: Context, count: number, peer: Peer): Promise<void> => {
  await withDrivers(["millrace"], (directory) => manyAtOnce(context, directory, peer, count))
  const brief = {
    "aeron.client.liveness.timeout": `${CLIENT_LIVENESS_TIMEOUT_MS}ms`,
    "aeron.publication.unblock.timeout": `${CLIENT_LIVENESS_TIMEOUT_MS + 1000}ms`,
    "aeron.publication.linger.timeout": "100ms",
    "aeron.timer.interval": "100ms"
  }
  for (const [driver, of] of [
    ["millrace", peer],
    [peer, "millrace"]
  ] as const) {
    await withDrivers([driver], (directory) => clientDeath(context, directory, driver, of), { [driver]: brief })
  }
  await driverRestart(context, peer)
}

const argsOf = (directory: string, channel: string, streamId: number, count: number): ReadonlyArray<string> => [
  directory,
  channel,
  String(streamId),
  String(count),
  LENGTHS
]

/** A stream over IPC and one over UDP at the same time, two subscribers each: six programs. */
const manyAtOnce = (context: Context, directory: string, peer: Peer, count: number): Promise<void> =>
  check(context, `millrace driver: six ${peer} clients at once, ${count} messages to each subscriber`, async () => {
    const channels = ["aeron:ipc", `aeron:udp?endpoint=localhost:${await freePort()}`]
    const streams = channels.map((channel, index) => ({ channel, streamId: FIRST_STREAM_ID + index }))
    const subscribers = streams.flatMap(({ channel, streamId }) =>
      [1, 2].map(() => client(peer, "subscriber", argsOf(directory, channel, streamId, count)))
    )
    await Promise.all(subscribers.map((process) => process.line("subscribed")))
    const publishers = streams.map(({ channel, streamId }, index) =>
      client(peer, "publisher", [...argsOf(directory, channel, streamId, count), String(index > 0)])
    )
    await Promise.all([
      ...publishers.map((process) => process.end(`published ${count}`)),
      ...subscribers.map((process) => process.end(`received ${count}`))
    ])
  })

interface OurCounter {
  readonly typeId: number
  readonly value: number
  readonly label: string
}

const counters = async (directory: string): Promise<ReadonlyArray<OurCounter>> => {
  const stat = cli(["stat", "--dir", directory, "--json"])
  await stat.end("")
  return JSON.parse(stat.output).counters
}

const HEARTBEAT_TYPE_ID = 11

/** What a killed client held is gone soon after; the others, and who comes later, do not notice. */
const clientDeath = (context: Context, directory: string, driver: Side, of: Side): Promise<void> =>
  check(context, `${driver} driver: a ${of} client dies, and the others go on`, async () => {
    const streamId = FIRST_STREAM_ID
    const witness = client(of, "witness", [directory, "aeron:ipc", `${streamId}`, "20", `${MESSAGE_LENGTH}`])
    await witness.line("subscribed")
    const survivorArgs = (first: number): ReadonlyArray<string> => [
      directory,
      "aeron:ipc",
      `${streamId}`,
      `${first}`,
      "10",
      `${MESSAGE_LENGTH}`
    ]
    const doomed = client(of, "survivor", survivorArgs(0))
    await doomed.line("added")
    doomed.say("publish")
    await doomed.line("published")
    const heir = client(of, "survivor", survivorArgs(10))
    await heir.line("added")
    await doomed.stop("SIGKILL")
    await untilTrue(async () => (await deaths(directory)) === 1)
    heir.say("publish")
    await witness.line("received 20")
    const heartbeats = (await counters(directory)).filter(({ typeId }) => typeId === HEARTBEAT_TYPE_ID)
    context.report.holds(
      `${driver} driver: two ${of} clients are left`,
      heartbeats.length === 2,
      JSON.stringify(heartbeats)
    )
    await Promise.all([witness, heir].map((process) => process.finish()))
    await untilTrue(async () => readdirSync(join(directory, "publications")).length === 0)
  })

const deaths = async (directory: string): Promise<number> =>
  (await counters(directory)).find(({ label }) => label.startsWith("Client liveness timeouts"))!.value

const POLL_MS = 200
const PATIENCE_MS = 60_000

const untilTrue = async (condition: () => Promise<boolean>): Promise<void> => {
  const deadline = Date.now() + PATIENCE_MS
  while (!(await condition())) {
    if (Date.now() > deadline) {
      throw new Error(`it did not come about within ${PATIENCE_MS} ms: ${condition.toString()}`)
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

/** The driver is killed; another takes its directory, and the client that saw the first die goes on with the second. */
const driverRestart = (context: Context, peer: Peer): Promise<void> =>
  check(context, `millrace driver: dies and comes back under a ${peer} client`, async () => {
    const directory = mkdtempSync(join(sharedMemory(), "millrace-interop-"))
    try {
      const first = await driverOf("millrace", directory, {})
      const reconnecter = client(peer, "reconnecter", [directory, "aeron:ipc", "4010", "1000"])
      await reconnecter.line("exchanged 1000")
      await first.stop("SIGKILL")
      await reconnecter.line(`lost ${DRIVER_TIMEOUT[peer]}`)
      // Within the driver timeout nobody can tell a dead driver from a slow one.
      const second = await driverOf("millrace", directory, { "aeron.driver.timeout": "1000" })
      reconnecter.say("again")
      await reconnecter.end(`exchanged 1000\nlost ${DRIVER_TIMEOUT[peer]}\nexchanged 1000`)
      await second.stop("SIGTERM")
    } finally {
      killAll()
      rmSync(directory, { recursive: true, force: true })
    }
  })
