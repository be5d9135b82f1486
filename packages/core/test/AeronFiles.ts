/**
 * Files that real Aeron drivers wrote, and what Aeron's own readers said of them. The names and where each came from:
 * `fixtures/aeron/README.md`. A CnC file is cut into its parts here by the sizes in its own header.
 */
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { AtomicBuffer } from "../src/memory/AtomicBuffer.ts"

export interface CounterRow {
  readonly id: number
  readonly type: number
  readonly label: string
  readonly value: number
  readonly registrationId: number
  readonly ownerId: number
  readonly referenceId: number
  readonly key: string
}

export interface ErrorRow {
  readonly count: number
  readonly firstMs: number
  readonly lastMs: number
  readonly text: string
}

export interface LossRow {
  readonly observations: number
  readonly bytesLost: number
  readonly firstMs: number
  readonly lastMs: number
  readonly sessionId: number
  readonly streamId: number
  readonly channel: string
  readonly source: string
}

export interface HeaderRow {
  readonly heartbeatMs: number
  readonly ringProducerPosition: number
  readonly ringConsumerPosition: number
}

const CNC_HEADER_LENGTH = 128
const CNC_LENGTH_OFFSETS = [4, 8, 12, 16, 20] as const

const unpack = (name: string): Buffer => gunzipSync(readFileSync(new URL(`fixtures/aeron/${name}.gz`, import.meta.url)))

const windowOf = (name: string, bytes: Uint8Array): AtomicBuffer => {
  const memory = new ArrayBuffer(bytes.length)
  new Uint8Array(memory).set(bytes)
  return new AtomicBuffer({ name, isClosed: false }, memory, 0, bytes.length)
}

/** A whole file as a window of its own. */
export const file = (name: string): AtomicBuffer => windowOf(name, unpack(name))

export const rows = <Row>(name: string): ReadonlyArray<Row> => JSON.parse(unpack(name).toString()) as ReadonlyArray<Row>

/** The five parts of a CnC file. */
export const cnc = (name: string) => {
  const bytes = unpack(`${name}-cnc.dat`)
  let offset = CNC_HEADER_LENGTH
  const [toDriver, toClients, countersMetadata, countersValues, errorLog] = CNC_LENGTH_OFFSETS.map((lengthOffset) => {
    const length = bytes.readInt32LE(lengthOffset)
    offset += length
    return windowOf(name, bytes.subarray(offset - length, offset))
  })
  return {
    toDriver: toDriver!,
    toClients: toClients!,
    countersMetadata: countersMetadata!,
    countersValues: countersValues!,
    errorLog: errorLog!
  }
}

/** Fails with the first differing offset instead of printing megabytes. */
export const firstDifference = (actual: Uint8Array, expected: Uint8Array): number | undefined => {
  if (Buffer.compare(actual, expected) === 0) {
    return undefined
  }
  const index = expected.findIndex((byte, i) => byte !== actual[i])
  return index < 0 ? expected.length : index
}
