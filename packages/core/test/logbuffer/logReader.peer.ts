import { BatchReader } from "../../src/logbuffer/BatchReader.ts"
import { COMPLETE, FragmentAssembler } from "../../src/logbuffer/FragmentAssembler.ts"
import { FragmentBatch } from "../../src/logbuffer/FragmentBatch.ts"
import * as LogBufferDescriptor from "../../src/logbuffer/LogBufferDescriptor.ts"
import type { LogBuffers } from "../../src/logbuffer/LogBuffers.ts"
import * as TermReader from "../../src/logbuffer/TermReader.ts"
import * as Peers from "../Peers.ts"
import * as LogStress from "./LogStress.ts"

interface Reading {
  /** Reads what is there. @returns the position that may be cleaned */
  readonly poll: () => number
}

const inBatches = (log: LogBuffers, checker: LogStress.Checker): Reading => {
  const reader = new BatchReader(log, 0)
  const batch = new FragmentBatch(64)
  return {
    poll: () => {
      reader.read(batch)
      for (let index = 0; index < batch.count; index++) {
        checker.onMessage(batch.buffer, batch.offsets[index]!, batch.lengths[index]!)
      }
      return reader.position
    }
  }
}

const inFrames = (log: LogBuffers, checker: LogStress.Checker): Reading => {
  const assembler = new FragmentAssembler(LogStress.LENGTH_MAX)
  const cursor = new TermReader.TermCursor()
  let position = 0
  return {
    poll: () => {
      const offset = LogBufferDescriptor.computeTermOffset(position, log.termLength)
      const term = log.terms[LogBufferDescriptor.indexByPosition(position, log.termLength)]!
      cursor.termOffset = offset
      TermReader.read(term, position - offset, cursor, 64, (bytes, begin, length, header) => {
        if (header.flags === 0xc0) {
          checker.onMessage(bytes, begin, length)
        } else if (assembler.onFragment(bytes, begin, length, header) === COMPLETE) {
          checker.onMessage(assembler.bytes, 0, assembler.length)
        }
      })
      position += cursor.termOffset - offset
      return position
    }
  }
}

Peers.peer<LogStress.ReaderPlan>((region, { kind, messageCount, reader, seed, ways }) => {
  const shared = LogStress.SharedLog.open(region)
  const checker = new LogStress.Checker(seed, ways)
  const reading = (kind === "batches" ? inBatches : inFrames)(shared.log, checker)
  let position = 0
  while (checker.total < messageCount && !shared.isStopped) {
    const next = reading.poll()
    if (next === position) {
      Peers.pause()
    }
    position = next
    shared.setReaderPosition(reader, position)
  }
  return checker.received
})
