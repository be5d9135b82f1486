/** Frames that our driver and Java's exchanged, kept by `millrace capture`, as Wireshark's Aeron dissector reads them. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Context } from "../Part.ts"
import { cli, killAll } from "./Process.ts"
import { driverOf, freePort, runStream, sharedMemory, streamsOf } from "./Streams.ts"

const COUNT = 2000
/** Some data is asked for again: NAKs and retransmits are among the frames. */
const LOSS = { "aeron.debug.receive.data.loss.rate": "0.05", "aeron.debug.receive.data.loss.seed": "42" }
const JAVA_LOSS = {
  ...LOSS,
  "aeron.ReceiveChannelEndpoint.supplier": "io.aeron.driver.ext.DebugReceiveChannelEndpointSupplier"
}
/** The dissector's names of the frames that an exchange with loss has. */
const FRAMES = ["aeron.setup", "aeron.data", "aeron.sm", "aeron.nak", "aeron.heartbeat"]
const FRAMES_MIN = 100

export const run = async (context: Context): Promise<void> => {
  if (spawnSync("tshark", ["-v"]).status !== 0) {
    context.report.notRun("capture", "there is no tshark on this machine (apt-get install tshark)")
    return
  }
  const directories = [1, 2].map(() => mkdtempSync(join(sharedMemory(), "millrace-interop-")))
  const [ours, theirs] = directories as [string, string]
  const file = join(context.scratch, "frames.pcap")
  try {
    const capture = cli(["capture", file, "--dir", ours])
    await capture.line("Ctrl-C stops both")
    const javaDriver = await driverOf("java", theirs, JAVA_LOSS)
    const ports: Array<number> = []
    for (const [index, stream] of streamsOf([
      ["java", "millrace"],
      ["millrace", "java"]
    ]).entries()) {
      const port = await freePort()
      ports.push(port)
      const place = {
        publisherDirectory: stream.publisher === "millrace" ? ours : theirs,
        subscriberDirectory: stream.subscriber === "millrace" ? ours : theirs,
        channel: `aeron:udp?endpoint=localhost:${port}|term-length=256k`,
        streamId: 5001 + index,
        count: COUNT
      }
      await runStream(place, stream)
    }
    await capture.stop("SIGINT")
    await javaDriver.stop("SIGTERM")
    checkFile(context, file, ports)
  } finally {
    killAll()
    for (const directory of directories) {
      rmSync(directory, { recursive: true, force: true })
    }
  }
}

/** The dissector is told by port which datagrams are Aeron's. */
const fieldsOf = (
  file: string,
  ports: ReadonlyArray<number>,
  fields: ReadonlyArray<string>,
  filter: string
): string => {
  const decodings = ports.flatMap((port) => ["-d", `udp.port==${port},aeron`])
  const columns = fields.flatMap((field) => ["-e", field])
  const shown = spawnSync("tshark", ["-r", file, ...decodings, "-T", "fields", ...columns, "-Y", filter], {
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024
  })
  if (shown.status !== 0) {
    throw new Error(`tshark ended with ${String(shown.status)}: ${shown.stderr}`)
  }
  return shown.stdout
}

const linesOf = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => line !== "")

const checkFile = ({ report }: Context, file: string, ports: ReadonlyArray<number>): void => {
  const malformed = linesOf(fieldsOf(file, ports, ["frame.number"], "_ws.malformed or _ws.expert.severity == error"))
  report.holds("capture: tshark finds no malformed frame", malformed.length === 0, `packets ${malformed.join(", ")}`)
  const others = linesOf(fieldsOf(file, ports, ["frame.number"], "not aeron"))
  report.holds("capture: tshark takes every datagram for Aeron's", others.length === 0, `packets ${others.join(", ")}`)
  for (const frame of FRAMES) {
    const shown = linesOf(fieldsOf(file, ports, ["frame.number"], frame))
    report.holds(`capture: tshark shows frames of ${frame}`, shown.length > 0, "none")
  }
  const datagrams = linesOf(fieldsOf(file, ports, ["frame.number"], "aeron"))
  report.holds(
    "capture: both ways of four streams are there",
    datagrams.length > FRAMES_MIN,
    `${datagrams.length} datagrams`
  )
}
