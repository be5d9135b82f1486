import { BatchReader } from "@millrace/core/kernel/logbuffer/BatchReader"
import { ExclusiveTermAppender } from "@millrace/core/kernel/logbuffer/ExclusiveTermAppender"
import { FragmentBatch } from "@millrace/core/kernel/logbuffer/FragmentBatch"
import * as TermCleaner from "@millrace/core/kernel/logbuffer/TermCleaner"
import * as Int64 from "@millrace/core/kernel/memory/Int64"
import * as Mapping from "@millrace/core/kernel/native/Mapping"
import { parent } from "#harness/Peer"
import { CLEAN_LENGTH, MESSAGE_LENGTH, openLogs, positions, READER_OFFSET } from "./twoProcesses.shared.ts"

const bench = parent()
const [path = "", mode, count] = process.argv.slice(2)
const region = Mapping.open(path)
const position = positions(region)
const [incoming, outgoing] = openLogs(region)
const reader = new BatchReader(incoming, 0)
const batch = new FragmentBatch(1024)
const messageCount = Number(count)

let received = 0
let checksum = 0
let cleaned = 0

/** Takes what is there, cleans it, and lets the writer go on. */
const poll = (): number => {
  const read = reader.read(batch)
  if (read > 0) {
    for (let index = 0; index < read; index++) {
      checksum = (checksum + batch.buffer[batch.offsets[index]!]! + batch.lengths[index]!) | 0
    }
    if (reader.position >= cleaned + CLEAN_LENGTH) {
      cleaned = TermCleaner.clean(incoming, cleaned, reader.position)
    }
    Int64.storeExclusiveRelease(position, READER_OFFSET[0], reader.position)
  }
  return read
}

bench.send("ready")
if (mode === "throughput") {
  while (received < messageCount) {
    received += poll()
  }
} else {
  const appender = new ExclusiveTermAppender(outgoing)
  const message = new Uint8Array(MESSAGE_LENGTH)
  while (received < messageCount) {
    const read = poll()
    for (let index = 0; index < read; index++) {
      while (appender.append(message, 0, MESSAGE_LENGTH) < 0) {
        // The log was rotated. One message is on its way at a time: there is always room.
      }
    }
    received += read
  }
}
bench.send(checksum)
bench.close()
