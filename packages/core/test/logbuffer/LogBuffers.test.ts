import { assert, describe, it } from "@effect/vitest"
import * as LogBufferDescriptor from "../../src/logbuffer/LogBufferDescriptor.ts"
import * as LogBufferMetadata from "../../src/logbuffer/LogBufferMetadata.ts"
import { InvalidLog, LogBuffers } from "../../src/logbuffer/LogBuffers.ts"
import { TermTail } from "../../src/logbuffer/TermTail.ts"
import { HeapRegion } from "../../src/memory/HeapRegion.ts"
import { makeLog, SESSION_ID, STREAM_ID, TERM_LENGTH, thrownBy, viewOf } from "./testLog.ts"

const refused = (run: () => unknown): InvalidLog => {
  const error = thrownBy(run)
  assert.instanceOf(error, InvalidLog)
  return error
}

describe("LogBuffers", () => {
  it("finds its terms and its stream from the metadata alone", () => {
    const log = viewOf(makeLog({ initialTermId: -5, mtuLength: 1408, correlationId: 2n ** 60n }))
    assert.strictEqual(log.termLength, TERM_LENGTH)
    assert.strictEqual(log.mtuLength, 1408)
    assert.strictEqual(log.initialTermId, -5)
    assert.strictEqual(log.sessionId, SESSION_ID)
    assert.strictEqual(log.streamId, STREAM_ID)
    assert.strictEqual(log.correlationId, 2n ** 60n)
    assert.deepStrictEqual(
      log.terms.map((term) => [term.bytes.byteOffset, term.length]),
      [
        [0, TERM_LENGTH],
        [TERM_LENGTH, TERM_LENGTH],
        [2 * TERM_LENGTH, TERM_LENGTH]
      ]
    )
  })

  it("finds the metadata at the end of a file with long pages", () => {
    const log = makeLog({ pageSize: 65536 })
    assert.strictEqual(log.region.length, 4 * TERM_LENGTH)
    assert.strictEqual(log.metadata.bytes.byteOffset, 4 * TERM_LENGTH - 4096)
    assert.strictEqual(viewOf(log).pageSize, 65536)
  })

  it("gives the two terms that come next the ids that a rotation expects", () => {
    for (const termCount of [0, 1, 2, 3, 1000]) {
      const log = makeLog({ initialTermId: 2 ** 31 - 2, termCount, termOffset: 96 })
      const tail = new TermTail(log.metadata)
      tail.load(termCount % 3)
      assert.deepStrictEqual([tail.termId, tail.termOffset], [(2 ** 31 - 2 + termCount) | 0, 96])
      for (const step of [1, 2]) {
        tail.load((termCount + step) % 3)
        assert.deepStrictEqual([tail.termId, tail.termOffset], [(2 ** 31 - 2 + termCount + step - 3) | 0, 0])
      }
    }
  })

  it("leaves the tails of an image log alone", () => {
    const region = new HeapRegion("image", LogBufferDescriptor.computeLogLength(TERM_LENGTH, 4096))
    const log = LogBuffers.create(region, {
      correlationId: 1n,
      initialTermId: 7,
      mtuLength: 1408,
      termLength: TERM_LENGTH,
      pageSize: 4096,
      sessionId: 1,
      streamId: 2,
      type: LogBufferDescriptor.LogType.PublicationImage
    })
    assert.deepStrictEqual(LogBufferMetadata.read(log.metadata).tails, [0n, 0n, 0n])
  })

  it("refuses a region that is too short for any log", () => {
    assert.strictEqual(refused(() => new LogBuffers(new HeapRegion("short", 4096))).field, "length")
  })

  it("refuses metadata that does not fit the length of the region", () => {
    const cases: ReadonlyArray<readonly [number, number, string]> = [
      [LogBufferDescriptor.TERM_LENGTH_OFFSET, 0, "term length"],
      [LogBufferDescriptor.TERM_LENGTH_OFFSET, -65536, "term length"],
      [LogBufferDescriptor.TERM_LENGTH_OFFSET, 65536 + 32, "term length"],
      [LogBufferDescriptor.TERM_LENGTH_OFFSET, 2 ** 30, "length"],
      [LogBufferDescriptor.PAGE_SIZE_OFFSET, 0, "page size"],
      [LogBufferDescriptor.PAGE_SIZE_OFFSET, 2 ** 30, "length"],
      [LogBufferDescriptor.MTU_LENGTH_OFFSET, 0, "mtu length"],
      [LogBufferDescriptor.MTU_LENGTH_OFFSET, 1400, "mtu length"]
    ]
    for (const [offset, value, field] of cases) {
      const log = makeLog()
      log.metadata.view.setInt32(offset, value, true)
      assert.strictEqual(refused(() => viewOf(log)).field, field, `${offset} = ${value}`)
    }
  })

  it("refuses to make a log of a region of another length", () => {
    const region = new HeapRegion("longer", LogBufferDescriptor.computeLogLength(TERM_LENGTH, 4096) + 4096)
    const error = refused(() =>
      LogBuffers.create(region, {
        correlationId: 1n,
        initialTermId: 7,
        mtuLength: 1408,
        termLength: TERM_LENGTH,
        pageSize: 4096,
        sessionId: 1,
        streamId: 2,
        type: 0
      })
    )
    assert.include(error.message, "longer is not a log buffer: its length is 204800, the new log needs 200704")
  })

  it("shows what changes while the log is used", () => {
    const { metadata } = makeLog()
    assert.isFalse(LogBufferMetadata.isConnected(metadata))
    assert.isFalse(LogBufferMetadata.isPublicationRevoked(metadata))
    assert.strictEqual(LogBufferMetadata.endOfStreamPosition(metadata), Infinity)
    LogBufferMetadata.setIsConnected(metadata, true)
    LogBufferMetadata.setActiveTransportCount(metadata, 3)
    LogBufferMetadata.setEndOfStreamPosition(metadata, 2 ** 57 + 64)
    LogBufferMetadata.setIsPublicationRevoked(metadata, true)
    assert.isTrue(LogBufferMetadata.isConnected(metadata))
    assert.strictEqual(LogBufferMetadata.activeTransportCount(metadata), 3)
    assert.strictEqual(LogBufferMetadata.endOfStreamPosition(metadata), 2 ** 57 + 64)
    assert.isTrue(LogBufferMetadata.isPublicationRevoked(metadata))
  })
})
