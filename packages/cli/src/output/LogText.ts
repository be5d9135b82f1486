/** A log buffer as text and as JSON. */
import type * as Inspector from "@millrace/transport/Inspector"
import type * as Effect from "effect/Effect"
import { int64 } from "./Json.ts"
import { grouped } from "./Quantity.ts"
import type { Style } from "./Style.ts"
import * as Table from "./Table.ts"
import { body } from "./Text.ts"

type Metadata = Effect.Success<Inspector.LogInspector["metadata"]>

const KINDS = ["concurrent publication", "exclusive publication", "image"]
const END_UNKNOWN = 0x7fff_ffff_ffff_ffffn
const FLAGS = [
  [0x80, "B"],
  [0x40, "E"],
  [0x20, "S"],
  [0x10, "R"]
] as const

const kindOf = (type: number): string => KINDS[type] ?? `type ${type}`

/** The halves of a tail: term id and offset. */
const tailOf = (tail: bigint) => ({
  termId: Number(tail >> 32n),
  termOffset: Number(BigInt.asUintN(32, tail))
})

const rowsOf = (metadata: Metadata): ReadonlyArray<ReadonlyArray<string>> => [
  ["kind", kindOf(metadata.type)],
  ["registration", String(metadata.correlationId)],
  ["session", String(metadata.sessionId)],
  ["stream", String(metadata.streamId)],
  ["term length", grouped(metadata.termLength)],
  ["MTU", grouped(metadata.mtuLength)],
  ["page size", grouped(metadata.pageSize)],
  ["initial term id", String(metadata.initialTermId)],
  ["terms so far", grouped(metadata.activeTermCount + 1)],
  ["connected", metadata.isConnected ? "yes" : "no"],
  ["revoked", metadata.isPublicationRevoked ? "yes" : "no"],
  ["end of stream", metadata.endOfStreamPosition === END_UNKNOWN ? "not yet" : grouped(metadata.endOfStreamPosition)],
  ...metadata.tails.map((tail, index) => {
    const { termId, termOffset } = tailOf(tail)
    return [`tail ${index}`, `term ${termId} offset ${grouped(termOffset)}`]
  })
]

export const metadataLines = (metadata: Metadata, style: Style): ReadonlyArray<string> => [
  ...Table.lines([{ title: "what" }, { title: "value" }], rowsOf(metadata), style.faint),
  ""
]

/** Every field of the page. */
export const metadataJson = (metadata: Metadata) => ({
  ...Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [name, typeof value === "bigint" ? int64(value) : value])
  ),
  tails: metadata.tails.map(tailOf)
})

const flagsOf = (flags: number): string => FLAGS.map(([bit, letter]) => ((flags & bit) === 0 ? "-" : letter)).join("")

export const frameLine = (frame: Inspector.Frame, style: Style): string => {
  const place = `${grouped(frame.position).padStart(14)}  ${frame.termId}:${frame.termOffset}`
  const what = `${frame.type.padEnd(4)} ${grouped(frame.frameLength).padStart(6)} B ${flagsOf(frame.flags)}`
  const state = frame.isPublished ? "" : `  ${style.bad("not published")}`
  return `${place}  ${what}${state}  ${body(frame.payload)}`.trimEnd()
}

export const frameJson = ({ payload, reservedValue, ...fields }: Inspector.Frame) => ({
  ...fields,
  reservedValue: int64(reservedValue),
  payloadBase64: Buffer.from(payload).toString("base64")
})
