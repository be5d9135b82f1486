/** `millrace frames FILE`: the Aeron frames of a packet capture. */
import * as Capture from "@millrace/core/Capture"
import * as Datagram from "@millrace/core/Datagram"
import * as Frame from "@millrace/core/Frame"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { badInput } from "../CommandError.ts"
import { unreadable } from "../internal/unreadable.ts"
import { grouped } from "../output/Quantity.ts"
import { json } from "./flags.ts"

type Line = (datagram: Capture.UdpDatagram, content: Result.Result<Datagram.Datagram, Error>) => string

const NS_PER_SECOND = 1_000_000_000n

const endpoint = ({ address, port }: Capture.Endpoint): string =>
  address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`

const secondsOf = (ns: bigint): string => `${ns / NS_PER_SECOND}.${String(ns % NS_PER_SECOND).padStart(9, "0")}`

const text: Line = ({ source, target, timestampNs }, content) => {
  const lines = Result.match(content, { onSuccess: Datagram.format, onFailure: (error) => `REFUSED ${error.message}` })
  const head = `${secondsOf(timestampNs)} ${endpoint(source)} > ${endpoint(target)}`
  return lines
    .split("\n")
    .map((line) => `${head} ${line}\n`)
    .join("")
}

const encodeFrames = Schema.encodeSync(Schema.toCodecJson(Schema.Array(Frame.Frame)))

const object: Line = ({ source, target, timestampNs }, content) => {
  const what = Result.match(content, {
    onSuccess: ({ frames }) => ({ frames: encodeFrames(frames) }),
    onFailure: (error) => ({ refused: error.message })
  })
  return `${JSON.stringify({ timestampNs: String(timestampNs), source: endpoint(source), target: endpoint(target), ...what })}\n`
}

const isAeron = (content: Result.Result<Datagram.Datagram, Error>): boolean =>
  Result.isSuccess(content) && content.success.frames.some((frame) => frame._tag !== "Unknown")

export const frames = Command.make(
  "frames",
  {
    file: Argument.String("file").pipe(Argument.withMetavar("FILE"), Argument.withDescription("A pcap or pcapng file")),
    port: Flag.Int("port").pipe(
      Flag.withDescription("Only datagrams from or to this port, those that are no Aeron among them [all Aeron]"),
      Flag.withMetavar("PORT"),
      Flag.optional
    ),
    json
  },
  Effect.fnUntraced(function* ({ file, json, port }) {
    const fs = yield* FileSystem.FileSystem
    const stdio = yield* Stdio.Stdio
    const line = json ? object : text
    let leftOut = 0
    const lineOf = (packet: Capture.CapturedPacket): string => {
      if (packet._tag === "UdpDatagram") {
        const content = Datagram.decode(packet.payload)
        const isWanted = Option.match(port, {
          onNone: () => isAeron(content),
          onSome: (port) => packet.source.port === port || packet.target.port === port
        })
        if (isWanted) {
          return line(packet, content)
        }
      }
      leftOut++
      return ""
    }
    yield* Capture.fromBytes(fs.stream(file)).pipe(
      Stream.mapArray((packets) => [packets.map(lineOf).join("")] as const),
      Stream.run(stdio.stdout()),
      Effect.mapError((error) =>
        error._tag === "CaptureError" ? badInput(file, error.message) : unreadable(file)(error)
      )
    )
    if (leftOut > 0 && !json) {
      yield* Stream.run(Stream.succeed(`${grouped(leftOut)} other packets are not shown\n`), stdio.stderr())
    }
  })
).pipe(
  Command.withDescription(
    "Prints the Aeron frames of a capture by tcpdump, Wireshark or Millrace, a line each: when, from where to where, and " +
      "every field."
  ),
  Command.withShortDescription("Print the Aeron frames of a packet capture"),
  Command.withExamples([
    { command: "millrace frames aeron.pcapng", description: "All frames, whatever else was captured" },
    { command: "millrace frames aeron.pcap --port 20223 --json", description: "Those of one port, for a script" }
  ])
)
