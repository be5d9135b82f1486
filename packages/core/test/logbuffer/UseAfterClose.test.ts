import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { frameBuffer } from "../../src/frame/FrameBuffer.ts"
import { BatchAppender } from "../../src/logbuffer/BatchAppender.ts"
import { BatchReader } from "../../src/logbuffer/BatchReader.ts"
import { BufferClaim } from "../../src/logbuffer/BufferClaim.ts"
import * as ControlledPoll from "../../src/logbuffer/ControlledPoll.ts"
import { ExclusiveTermAppender } from "../../src/logbuffer/ExclusiveTermAppender.ts"
import { FragmentBatch } from "../../src/logbuffer/FragmentBatch.ts"
import { HeaderWriter } from "../../src/logbuffer/HeaderWriter.ts"
import * as LogBufferMetadata from "../../src/logbuffer/LogBufferMetadata.ts"
import { LogBuffers } from "../../src/logbuffer/LogBuffers.ts"
import { LogBufferUnblocker } from "../../src/logbuffer/LogBufferUnblocker.ts"
import { LogKeeper } from "../../src/logbuffer/LogKeeper.ts"
import { LogPublisher } from "../../src/logbuffer/LogPublisher.ts"
import * as LogRotation from "../../src/logbuffer/LogRotation.ts"
import { ReaderSlot } from "../../src/logbuffer/ReaderSlot.ts"
import { SlabAppender } from "../../src/logbuffer/SlabAppender.ts"
import { TermAppender } from "../../src/logbuffer/TermAppender.ts"
import * as TermBlockScanner from "../../src/logbuffer/TermBlockScanner.ts"
import * as TermCleaner from "../../src/logbuffer/TermCleaner.ts"
import * as TermGapFiller from "../../src/logbuffer/TermGapFiller.ts"
import { scanForGap, TermGap } from "../../src/logbuffer/TermGapScanner.ts"
import * as TermReader from "../../src/logbuffer/TermReader.ts"
import * as TermRebuilder from "../../src/logbuffer/TermRebuilder.ts"
import { scanForAvailability, TermScan } from "../../src/logbuffer/TermScanner.ts"
import { TermTail } from "../../src/logbuffer/TermTail.ts"
import * as TermUnblocker from "../../src/logbuffer/TermUnblocker.ts"
import { RegionClosed } from "../../src/memory/RegionState.ts"
import * as Mapping from "../../src/native/Mapping.ts"
import { temporaryDirectory } from "@millrace/testkit/temporaryDirectory"
import { bytesOf, makeLog, message, thrownBy } from "./testLog.ts"

const mappedLog = (): LogBuffers => {
  const log = makeLog()
  const region = Mapping.create(join(temporaryDirectory(), "log"), log.region.length, { reserve: true })
  region.buffer().bytes.set(bytesOf(log))
  return new LogBuffers(region)
}

/** Every entry point of the kernels, on objects made while the log was open. */
const entriesOf = (log: LogBuffers): ReadonlyArray<readonly [string, () => unknown]> => {
  const { metadata, terms } = log
  const term = terms[0]
  const bytes = message(1, 24)
  const concurrent = new TermAppender(log)
  const exclusive = new ExclusiveTermAppender(log)
  for (let index = 0; index < 4; index++) {
    exclusive.append(bytes, 0, 24)
  }
  const [batch, openBatch] = [new SlabAppender(exclusive), new BatchAppender(exclusive)]
  openBatch.begin(128)
  openBatch.put(bytes, 0, 24)
  const claim = new BufferClaim()
  exclusive.claim(8, claim)
  const reader = new BatchReader(log, 0)
  const borrowed = new FragmentBatch(2)
  reader.read(borrowed)
  const unblocker = new LogBufferUnblocker(log)
  const header = new HeaderWriter(metadata)
  const tail = new TermTail(metadata)
  const block = frameBuffer(term.bytes.slice(0, 64))
  const cursor = new TermReader.TermCursor()
  return [
    ["TermAppender.position", () => concurrent.position()],
    ["TermAppender.append", () => concurrent.append(bytes, 0, 24)],
    ["TermAppender.tryAppend", () => concurrent.tryAppend(bytes, 0, 24)],
    ["TermAppender.appendVector", () => concurrent.appendVector([bytes])],
    ["TermAppender.claim", () => concurrent.claim(8, new BufferClaim())],
    ["TermAppender.reserve", () => concurrent.reserve(64)],
    ["ExclusiveTermAppender.position", () => exclusive.position()],
    ["ExclusiveTermAppender.append", () => exclusive.append(bytes, 0, 24)],
    ["ExclusiveTermAppender.appendVector", () => exclusive.appendVector([bytes])],
    ["ExclusiveTermAppender.claim", () => exclusive.claim(8, new BufferClaim())],
    ["ExclusiveTermAppender.reserve", () => exclusive.reserve(64)],
    ["ExclusiveTermAppender.appendPadding", () => exclusive.appendPadding(8)],
    ["ExclusiveTermAppender.appendBlock", () => exclusive.appendBlock(block, 0, 64)],
    ["BatchAppender.begin", () => batch.begin(64)],
    ["BatchAppender.appendAll", () => batch.appendAll([bytes], 0, 1)],
    ["SlabAppender.appendSlab", () => batch.appendSlab(bytes, Int32Array.of(0), Int32Array.of(8), 0, 1)],
    ["BatchAppender.next", () => openBatch.next(8)],
    ["BatchAppender.put", () => openBatch.put(bytes, 0, 8)],
    ["BatchAppender.commit", () => openBatch.commit()],
    ["BatchAppender.abort", () => openBatch.abort()],
    ["BufferClaim.buffer", () => claim.buffer],
    ["BufferClaim.flags", () => claim.flags],
    ["BufferClaim.flags =", () => (claim.flags = 0xc0)],
    ["BufferClaim.reservedValue", () => claim.reservedValue],
    ["BufferClaim.reservedValue =", () => (claim.reservedValue = 1n)],
    ["BufferClaim.commit", () => claim.commit()],
    ["BufferClaim.abort", () => claim.abort()],
    ["TermReader.read", () => TermReader.read(term, 0, cursor, 1, () => {})],
    [
      "ControlledPoll.read",
      () =>
        ControlledPoll.read(
          term,
          0,
          cursor,
          1,
          () => ControlledPoll.BREAK,
          () => {}
        )
    ],
    ["BatchReader.read", () => reader.read(new FragmentBatch(1))],
    ["FragmentBatch.message", () => borrowed.message(0)],
    ["FragmentBatch.reservedValues", () => borrowed.reservedValues],
    ["FragmentBatch.toOwned", () => borrowed.toOwned()],
    ["TermBlockScanner.scan", () => TermBlockScanner.scan(term, 0, 64)],
    ["TermScanner.scanForAvailability", () => scanForAvailability(term, 0, 64, new TermScan())],
    ["TermGapScanner.scanForGap", () => scanForGap(term, 0, 64, new TermGap())],
    ["TermGapFiller.tryFillGap", () => TermGapFiller.tryFillGap(header, term, 7, 0, 64)],
    ["TermRebuilder.insert", () => TermRebuilder.insert(term, 0, block, 0, 64)],
    ["TermUnblocker.unblock", () => TermUnblocker.unblock(header, term, 0, 64, 7)],
    ["LogBufferUnblocker.unblock", () => unblocker.unblock(0)],
    ["TermCleaner.clean", () => TermCleaner.clean(log, 0, 64)],
    ["LogRotation.rotate", () => LogRotation.rotate(metadata, 0, 7)],
    ["LogRotation.rotateExclusive", () => LogRotation.rotateExclusive(metadata, 1, 8)],
    ["TermTail.load", () => tail.load(0)],
    ["TermTail.getAndAdd", () => tail.getAndAdd(0, 64)],
    ["LogBufferMetadata.read", () => LogBufferMetadata.read(metadata)],
    ["LogBufferMetadata.write", () => LogBufferMetadata.write(metadata, LogBufferMetadata.make(log))],
    ["LogBufferMetadata.activeTermCountAcquire", () => LogBufferMetadata.activeTermCountAcquire(metadata)],
    ["LogBufferMetadata.isConnected", () => LogBufferMetadata.isConnected(metadata)],
    ["LogBufferMetadata.setIsConnected", () => LogBufferMetadata.setIsConnected(metadata, true)],
    ["LogBufferMetadata.activeTransportCount", () => LogBufferMetadata.activeTransportCount(metadata)],
    ["LogBufferMetadata.setActiveTransportCount", () => LogBufferMetadata.setActiveTransportCount(metadata, 1)],
    ["LogBufferMetadata.endOfStreamPosition", () => LogBufferMetadata.endOfStreamPosition(metadata)],
    ["LogBufferMetadata.setEndOfStreamPosition", () => LogBufferMetadata.setEndOfStreamPosition(metadata, 64)],
    ["LogBufferMetadata.isPublicationRevoked", () => LogBufferMetadata.isPublicationRevoked(metadata)],
    ["LogBufferMetadata.setIsPublicationRevoked", () => LogBufferMetadata.setIsPublicationRevoked(metadata, true)],
    ["LogBuffers", () => new LogBuffers(log.region)],
    ...sharingEntriesOf(log)
  ]
}

/** The entries of a log that is shared without a driver. */
const sharingEntriesOf = (log: LogBuffers): ReadonlyArray<readonly [string, () => unknown]> => {
  const publisher = new LogPublisher(log)
  const slot = ReaderSlot.request(log.metadata)!
  const keeper = new LogKeeper(log, { readerTimeoutMs: 1000, unblockTimeoutMs: 1000 })
  return [
    ["LogPublisher.offer", () => publisher.offer(message(1, 24), 0, 24)],
    ["LogPublisher.offerMany", () => publisher.offerMany([message(1, 24)], 0)],
    ["ReaderSlot.request", () => ReaderSlot.request(log.metadata)],
    ["ReaderSlot.isRequested", () => slot.isRequested],
    ["ReaderSlot.isActive", () => slot.isActive],
    ["ReaderSlot.position", () => slot.position],
    ["ReaderSlot.release", () => slot.release(64)],
    ["ReaderSlot.heartbeat", () => slot.heartbeat(1)],
    ["ReaderSlot.leave", () => slot.leave()],
    ["LogKeeper.doWork", () => keeper.doWork(1_000_000)]
  ]
}

describe("a log that was closed", () => {
  for (const [kind, make] of [
    ["of heap memory", makeLog],
    ["of a mapped file", mappedLog]
  ] as const) {
    it(`refuses every entry point (${kind}) and changes no byte`, () => {
      const log = make()
      const entries = entriesOf(log)
      const before = bytesOf(log)
      const bytes = log.region.buffer(0, log.region.length).bytes
      log.close()
      for (const [name, run] of entries) {
        assert.instanceOf(thrownBy(run), RegionClosed, name)
      }
      if (bytes.length > 0) {
        assert.deepStrictEqual(Uint8Array.from(bytes), before)
      }
      log.close()
    })
  }

  it("leaves what was owned to its owner", () => {
    const log = mappedLog()
    new TermAppender(log).append(message(1, 24), 0, 24)
    const batch = new FragmentBatch(2)
    new BatchReader(log, 0).read(batch)
    const owned = batch.toOwned()
    log.close()
    assert.deepStrictEqual(owned.message(0), message(1, 24))
    assert.strictEqual(batch.buffer.length, 0, "a kept view is empty")
  })
})
