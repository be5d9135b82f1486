/** `millrace store …`: look into a store, write to it, check and mend it. */
import * as Command from "effect/cli/Command"
import { storeBench } from "./storeBench.ts"
import { storeDump } from "./storeDump.ts"
import { storeExport } from "./storeExport.ts"
import { storeGet } from "./storeGet.ts"
import { storeImport } from "./storeImport.ts"
import { storeOffsetByTime } from "./storeOffsetByTime.ts"
import { storeOffsets } from "./storeOffsets.ts"
import { storeOpen } from "./storeOpen.ts"
import { storePut } from "./storePut.ts"
import { storeQuery } from "./storeQuery.ts"
import { storeQueues } from "./storeQueues.ts"
import { storeRepair } from "./storeRepair.ts"
import { storeStat } from "./storeStat.ts"
import { storeTail } from "./storeTail.ts"
import { storeTopics } from "./storeTopics.ts"
import { storeVerify } from "./storeVerify.ts"

export const store = Command.make("store").pipe(
  Command.withDescription("Look into a message store, this one's or RocketMQ's, write to it, check it and mend it."),
  Command.withShortDescription("Look into a message store, write to it, check it"),
  Command.withSubcommands([
    { group: "Read messages", commands: [storeTail, storeGet, storeQuery, storeExport] },
    { group: "Write messages", commands: [storePut, storeImport] },
    { group: "See what there is", commands: [storeTopics, storeQueues, storeOffsets, storeOffsetByTime, storeStat] },
    { group: "Measure", commands: [storeBench] },
    { group: "Check and mend", commands: [storeVerify, storeRepair, storeDump, storeOpen] }
  ])
)
