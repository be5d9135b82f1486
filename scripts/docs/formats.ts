/**
 * Writes `docs/formats.md` from the descriptors: the comment that opens each of them, with its picture, and the
 * constants that it exports, with the values that the code really uses. So the page cannot differ from the code.
 *
 *     node scripts/docs/formats.ts           writes the page
 *     node scripts/docs/formats.ts --check   fails when the page in the tree is not what would be written
 */
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import * as Page from "./Page.ts"

const ROOT = dirname(dirname(import.meta.dirname))

interface Chapter {
  readonly title: string
  readonly sections: ReadonlyArray<{ readonly title: string; readonly path: string }>
}

const FRAME = "packages/core/src/frame"
const CORE = "packages/core/src"
const STORE = "packages/store/src"

const CHAPTERS: ReadonlyArray<Chapter> = [
  {
    title: "Frames on the wire and in a term",
    sections: [
      { title: "Common header", path: `${FRAME}/HeaderDescriptor.ts` },
      { title: "Types", path: `${FRAME}/FrameType.ts` },
      { title: "Flags", path: `${FRAME}/FrameFlags.ts` },
      { title: "DATA", path: `${FRAME}/DataFrame.ts` },
      { title: "PAD", path: `${FRAME}/PadFrame.ts` },
      { title: "SETUP", path: `${FRAME}/SetupFrame.ts` },
      { title: "SM", path: `${FRAME}/StatusMessageFrame.ts` },
      { title: "NAK", path: `${FRAME}/NakFrame.ts` },
      { title: "RTTM", path: `${FRAME}/RttMeasurementFrame.ts` },
      { title: "ERR", path: `${FRAME}/ErrorFrame.ts` },
      { title: "RSP_SETUP", path: `${FRAME}/ResponseSetupFrame.ts` },
      { title: "RES", path: `${FRAME}/ResolutionFrame.ts` },
      { title: "RES entry", path: `${FRAME}/ResolutionEntryDescriptor.ts` },
      { title: "Datagram", path: `${FRAME}/DatagramScanner.ts` },
      { title: "Why bytes are refused", path: `${FRAME}/FrameFault.ts` }
    ]
  },
  {
    title: "Shared memory",
    sections: [
      { title: "Log buffer", path: `${CORE}/logbuffer/LogBufferDescriptor.ts` },
      { title: "Frames of a log buffer", path: `${CORE}/logbuffer/FrameDescriptor.ts` },
      { title: "Readers of a log without a driver", path: `${CORE}/logbuffer/SharingDescriptor.ts` },
      { title: "Ring buffer", path: `${CORE}/ringbuffer/RingBufferDescriptor.ts` },
      { title: "Record of a ring or broadcast buffer", path: `${CORE}/ringbuffer/RecordDescriptor.ts` },
      { title: "Broadcast buffer", path: `${CORE}/broadcast/BroadcastDescriptor.ts` },
      { title: "Counters", path: `${CORE}/counters/CountersDescriptor.ts` },
      { title: "Error log", path: `${CORE}/errorlog/ErrorLogDescriptor.ts` },
      { title: "Loss report", path: `${CORE}/lossreport/LossReportDescriptor.ts` },
      { title: "CnC file", path: "packages/transport/src/command/CncDescriptor.ts" }
    ]
  },
  {
    title: "Files of a message store",
    sections: [
      { title: "Record of the commit log", path: `${STORE}/commitlog/RecordDescriptor.ts` },
      { title: "Flags of a record", path: `${STORE}/commitlog/SysFlag.ts` },
      { title: "Entry of a consume queue", path: `${STORE}/consumequeue/EntryDescriptor.ts` },
      { title: "Unit of an extended consume queue", path: `${STORE}/consumequeue/ExtUnitDescriptor.ts` },
      { title: "Further queues of a record", path: `${STORE}/consumequeue/MultiDispatch.ts` },
      { title: "Entry of a batch consume queue", path: `${STORE}/consumequeue/BatchEntryDescriptor.ts` },
      { title: "Index file", path: `${STORE}/index/IndexDescriptor.ts` },
      { title: "Checkpoint", path: `${STORE}/recovery/StoreCheckpoint.ts` },
      { title: "Recorded message", path: `${STORE}/record/RecordingDescriptor.ts` },
      { title: "Counters of an open store", path: `${STORE}/counters/CountersFileDescriptor.ts` }
    ]
  }
]

const PREFACE = `# Formats

<!-- Written by \`node scripts/docs/formats.ts\` from the descriptors in the sources. Change those, then run it. -->

The bytes that Millrace shares with Aeron (frames, and the memory that drivers and clients map) and with RocketMQ (the files of a
message store). Offsets and lengths are in bytes; numbers are little-endian in the former and big-endian in the latter. Each section is the descriptor it names: its picture, and the constants that the code uses.
`

export const render = async (): Promise<string> => {
  const parts = [PREFACE, contents()]
  for (const { title, sections } of CHAPTERS) {
    parts.push(`## ${title}\n`)
    for (const section of sections) {
      parts.push(await renderSection(section.title, section.path))
    }
  }
  return parts.join("\n")
}

const contents = (): string =>
  CHAPTERS.map(({ sections, title }) => {
    const links = sections.map((section) => `[${section.title}](#${anchor(section.title)})`)
    return `- ${title}: ${links.join(" · ")}\n`
  }).join("")

const anchor = (title: string): string => title.toLowerCase().replaceAll(" ", "-")

const renderSection = async (title: string, path: string): Promise<string> =>
  section(title, path, readFileSync(join(ROOT, path), "utf8"), await import(pathToFileURL(join(ROOT, path)).href))

/** One descriptor: its opening comment, and the constants of `source` with the values that `module` has. */
export const section = (
  title: string,
  path: string,
  source: string,
  module: Readonly<Record<string, unknown>>
): string => {
  const rows = constantsOf(source).flatMap(({ literal, meaning, name }) => {
    const value = module[name]
    return typeof value === "number" || typeof value === "bigint" ? [row(name, format(value, literal), meaning)] : []
  })
  const table = rows.length === 0 ? "" : `\n| constant | value | |\n| --- | --- | --- |\n${rows.join("\n")}\n`
  return `### ${title}\n\n[${path}](../${path})\n\n${headerOf(source, path)}\n${table}`
}

/** The comment that opens the file, without its margin. It is Markdown, whose pictures are text on a page. */
const headerOf = (source: string, path: string): string => {
  const comment = /^\/\*\*(.*?)\*\//s.exec(source)?.[1]
  if (comment === undefined) {
    throw new Error(`${path} does not begin with a comment that describes its format`)
  }
  return textOf(comment).replaceAll(/^```\n(.*?)^```$/gms, "```text\n$1```")
}

const textOf = (comment: string): string =>
  comment
    .split("\n")
    .map((line) => line.replace(/^ *\* ?/, "").trimEnd())
    .join("\n")
    .trim()

interface Constant {
  readonly name: string
  /** As it is written, which tells whether people think of it in hexadecimal. */
  readonly literal: string
  readonly meaning: string
}

/** A constant, and the comment above it if there is one. */
const CONSTANT = /(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\n)?^export const ([A-Z][A-Z0-9_]*)\b[^=\n]*= (.*)$/gm

/** The exported constants in the order of the file. */
const constantsOf = (source: string): ReadonlyArray<Constant> =>
  [...source.matchAll(CONSTANT)].map(([, comment = "", name = "", literal = ""]) => ({
    name,
    literal,
    meaning: textOf(comment).replaceAll("\n", " ")
  }))

/** A double above 2^53 would print rounded, a bigint prints every digit. Bits that are put together are hexadecimal. */
const format = (value: number | bigint, literal: string): string =>
  /^0x|\|/.test(literal) && value >= 0
    ? `0x${value.toString(16).toUpperCase().padStart(2, "0")}`
    : BigInt(value).toString()

const row = (name: string, value: string, meaning: string): string =>
  ["|", `\`${name}\``, "|", value, "|", ...(meaning === "" ? [] : [meaning.replaceAll("|", "\\|")]), "|"].join(" ")

if (process.argv[1] === import.meta.filename) {
  Page.write("docs/formats.md", await render())
}
