/** One message there and back at a time. Millrace and Aeron spin for it; the others wait in their event loops. */
import { type Case, group } from "#harness/Group"
import * as Java from "../transport/java/cases.shared.ts"
import * as Echoes from "./echoes.shared.ts"

const LENGTH = 32
const line = { channel: Java.ipc, length: LENGTH }

const caseOf = (open: Case["open"], count: number): Case => ({ bytes: LENGTH, count, smokeCount: 100, open })

export default group("peers/roundTrips", {
  baseline: "unix-socket",
  cases: {
    "unix-socket": caseOf(() => Echoes.unixSocket(LENGTH), 5000),
    "zeromq-ipc": caseOf(() => Echoes.zeromq(LENGTH), 5000),
    "worker-postMessage": caseOf(() => Echoes.postMessage(LENGTH), 5000),
    ...(Java.absence === undefined ? { "aeron-java": caseOf(() => Java.openJavaPing(line), 20_000) } : {}),
    millrace: caseOf(() => Java.openOurPing(line), 20_000)
  }
})
