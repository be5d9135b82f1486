/** Messages that are kept, from one program: Millrace beside RocketMQ's store and what Node programs have. */
import { type Case, group } from "#harness/Group"
import * as Java from "../store/java/cases.shared.ts"
import * as Durable from "./durable.shared.ts"

if (!Durable.hasRedis) {
  process.stderr.write("peers/durable: the rows of BullMQ are left out: there is no redis-server on this machine\n")
}

const peers = (name: string, line: Durable.Line, count: number) => {
  const smokeCount = line.producers * line.batch
  const caseOf = (open: Case["open"]): Case => ({ bytes: line.length, count, smokeCount, open })
  const { isSync, ...rest } = line
  const store: Java.Line = { ...rest, isDispatched: true, flushDiskType: isSync ? "SYNC_FLUSH" : "ASYNC_FLUSH" }
  return group(`peers/durable/${name}`, {
    baseline: "node-sqlite",
    cases: {
      "node-sqlite": caseOf(() => Durable.sqlite(line)),
      ...(Durable.hasRedis ? { "bullmq-redis": caseOf(() => Durable.bullmq(line)) } : {}),
      ...(Java.absence === undefined ? { "rocketmq-java": caseOf(() => Java.openPuts(Java.openJava, store)) } : {}),
      millrace: caseOf(() => Java.openPuts(Java.openOurs, store))
    }
  })
}

export default [
  // An acknowledgement means: in memory that outlives the process, on the device within a second or less.
  peers("from-memory", { length: 124, batch: 32, producers: 1, isSync: false }, 32_000),
  // An acknowledgement means: on the device.
  peers("on-disk-64-producers", { length: 1024, batch: 1, producers: 64, isSync: true }, 3200)
]
