import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { CountersReader } from "@millrace/core/kernel/counters/CountersReader"
import { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import { ManyToOneRingBuffer } from "@millrace/core/kernel/ringbuffer/ManyToOneRingBuffer"
import * as CncDescriptor from "../../src/command/CncDescriptor.ts"

const fixtures = new URL("../../../core/test/fixtures/aeron/", import.meta.url)
const goldens = ["clean-cnc", "java-cnc", "c-errors-cnc", "java-errors-cnc"]

interface HeaderRow {
  readonly version: number
  readonly versionText: string
  readonly fileLength: number
  readonly toDriverBufferLength: number
  readonly toClientsBufferLength: number
  readonly countersMetadataBufferLength: number
  readonly countersValuesBufferLength: number
  readonly errorLogBufferLength: number
  readonly clientLivenessTimeoutNs: number
  readonly startTimestampMs: number
  readonly pid: number
  readonly filePageSize: number
  readonly heartbeatMs: number
}

const unzip = (name: string): Buffer => gunzipSync(readFileSync(new URL(name, fixtures)))

const headerRow = (name: string): HeaderRow =>
  (JSON.parse(unzip(`${name}.header.json.gz`).toString()) as ReadonlyArray<HeaderRow>)[0]!

const file = (name: string): AtomicBuffer => {
  const bytes = unzip(`${name}.dat.gz`)
  const memory = new ArrayBuffer(bytes.length)
  new Uint8Array(memory).set(bytes)
  return new AtomicBuffer({ name, isClosed: false }, memory, 0, bytes.length)
}

describe("CncDescriptor", () => {
  it.each(goldens)("reads the header of %s as Aeron's own reader does", (name) => {
    const whole = file(name)
    const row = headerRow(name)
    const header = CncDescriptor.decode(whole)
    assert.strictEqual(CncDescriptor.versionVolatile(whole), row.version)
    assert.strictEqual(CncDescriptor.formatVersion(row.version), row.versionText)
    assert.deepStrictEqual(header, {
      toDriver: row.toDriverBufferLength,
      toClients: row.toClientsBufferLength,
      countersMetadata: row.countersMetadataBufferLength,
      countersValues: row.countersValuesBufferLength,
      errorLog: row.errorLogBufferLength,
      clientLivenessTimeoutNs: row.clientLivenessTimeoutNs,
      startTimestampMs: row.startTimestampMs,
      pid: row.pid,
      filePageSize: row.filePageSize
    })
    assert.strictEqual(CncDescriptor.fileLength(header, header.filePageSize), row.fileLength)
    assert.isTrue(CncDescriptor.areLengthsPlausible(header, whole.length))
  })

  it.each(goldens)("cuts %s into rings and counters that are where it says", (name) => {
    const whole = file(name)
    const buffers = CncDescriptor.buffers(whole, CncDescriptor.decode(whole))
    const counters = new CountersReader(buffers.countersMetadata, buffers.countersValues)
    assert.strictEqual(counters.label(0), "Bytes sent")
    assert.strictEqual(new ManyToOneRingBuffer(buffers.toDriver).consumerHeartbeatMs, headerRow(name).heartbeatMs)
  })

  it("writes the header that it reads, byte for byte", () => {
    const golden = file("java-cnc")
    const header = new HeapRegion("header", CncDescriptor.HEADER_LENGTH).buffer()
    CncDescriptor.encode(header, CncDescriptor.decode(golden))
    assert.strictEqual(CncDescriptor.versionVolatile(header), 0)
    CncDescriptor.signalReadyRelease(header)
    assert.deepStrictEqual(header.bytes.slice(), golden.bytes.slice(0, CncDescriptor.HEADER_LENGTH))
  })

  it("has Aeron's file length with Aeron's sizes", () => {
    assert.strictEqual(CncDescriptor.fileLength(CncDescriptor.LENGTHS_DEFAULT, 4096), 48_238_592)
  })

  it("takes the page size of a driver that does not write one to be 4096", () => {
    const header = new HeapRegion("header", CncDescriptor.HEADER_LENGTH).buffer()
    assert.strictEqual(CncDescriptor.decode(header).filePageSize, 4096)
  })

  it("refuses lengths that are not positive or reach outside the file", () => {
    const lengths = CncDescriptor.LENGTHS_DEFAULT
    assert.isFalse(CncDescriptor.areLengthsPlausible(lengths, 48_238_591 - 4096))
    assert.isFalse(CncDescriptor.areLengthsPlausible({ ...lengths, toDriver: 0 }, 48_238_592))
    assert.isFalse(CncDescriptor.areLengthsPlausible({ ...lengths, errorLog: -1 }, 48_238_592))
  })

  it("is compatible with its own major version alone", () => {
    assert.isTrue(CncDescriptor.isVersionCompatible(0x000207))
    assert.isFalse(CncDescriptor.isVersionCompatible(0x010200))
  })
})
