/** What is wrong with a store, in words. */
import type * as Inspect from "@millrace/store/Inspect"
import { plural } from "../output/Quantity.ts"
import { printable } from "../output/Text.ts"

/** What an opening of the store does with damage. */
const OPENINGS = {
  refused: "An opening is refused: they were on the device",
  cut: "An opening ends the log there, as it does with what a crash leaves: nothing says that they were on the device",
  "not read": "An opening does not read that far back, unless it has to make queues or index anew: then it is refused"
}

export const of = (finding: Inspect.Finding): string => {
  switch (finding._tag) {
    case "FileMissing":
      return `${finding.file} is missing, with files behind it`
    case "FileLengthWrong":
      return `${finding.file} has ${finding.length} bytes, files of its kind have ${finding.expected}`
    case "FileForeign":
      return `${finding.file} is no file of the store: ${finding.detail}`
    case "LogDamage": {
      const { end, file, opening, position, reason, recordsBehind } = finding
      return `the log is damaged from ${position} to ${end} (${reason}), ${plural(recordsBehind, "record")} behind it: ${file}. ${OPENINGS[opening]}`
    }
    case "QueueEntryWrong": {
      const { detail, found, queueId, queueOffset, topic } = finding
      return `entry ${queueOffset} of ${printable(topic)}/${queueId} leads to position ${found.position}: ${detail}`
    }
    case "QueueEntryMissing": {
      const { position, queueId, queueOffset, topic } = finding
      return `${printable(topic)}/${queueId} has no entry ${queueOffset}, whose record stands at ${position}`
    }
    case "IndexWrong":
      return finding.entry === 0
        ? `${finding.file}: ${finding.detail}`
        : `entry ${finding.entry} of ${finding.file}: ${finding.detail}`
    case "KeyMissing": {
      const { key, position, topic } = finding
      return `the index does not have key ${printable(key)} of topic ${printable(topic)}, whose record stands at ${position}`
    }
    case "ConfigUnreadable":
      return `${finding.file} is no JSON, and has no backup that is`
  }
}
