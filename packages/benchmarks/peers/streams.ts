/** Messages from one place to another, as many as go: Millrace beside Aeron's Java programs and what Node has. */
import { type Case, group } from "#harness/Group"
import * as Java from "../transport/java/cases.shared.ts"
import * as Pipes from "./pipes.shared.ts"

const SMOKE_COUNT = 1000

const peers = (name: string, length: number, counts: { readonly fast: number; readonly slow: number }) => {
  const line = { channel: Java.ipc, length }
  const caseOf = (open: Case["open"], count: number): Case => ({ bytes: length, count, smokeCount: SMOKE_COUNT, open })
  return group(`peers/streams/${name}`, {
    baseline: "unix-socket",
    cases: {
      "unix-socket": caseOf(() => Pipes.unixSocket(length), counts.slow),
      "zeromq-ipc": caseOf(() => Pipes.zeromq(length), counts.slow / 4),
      "worker-postMessage": caseOf(() => Pipes.postMessage(length), counts.slow / 4),
      "effect-PubSub": caseOf(() => Pipes.pubSub(length), counts.slow),
      ...(Java.absence === undefined ? { "aeron-java": caseOf(() => Java.openJava(line), counts.fast) } : {}),
      "millrace-stream": caseOf(() => Java.openOurs("publishArrays", "subscribeStream", line), counts.fast),
      "millrace-batches": caseOf(() => Java.openOurs("publishBatches", "subscribeBatches", line), counts.fast)
    }
  })
}

export default [
  peers("32-bytes", 32, { fast: 2_000_000, slow: 400_000 }),
  peers("1024-bytes", 1024, { fast: 400_000, slow: 100_000 })
]
