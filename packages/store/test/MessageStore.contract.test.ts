import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as MessageStore from "../src/MessageStore.ts"
import * as testing from "../src/testing.ts"
import * as Temporary from "./fixtures/Temporary.ts"

const SMALL = { mappedFileSizeCommitLog: 64 * 1024 * 8, mappedFileSizeConsumeQueue: 20 * 500 }

const mapped = (options: Partial<Parameters<typeof MessageStore.layer>[0]>) =>
  Layer.unwrap(Effect.map(Temporary.directory, (directory) => MessageStore.layer({ directory, ...SMALL, ...options })))

const backends = {
  mapped: mapped({}),
  "mapped, synchronous flush": mapped({ flushDiskType: "SYNC_FLUSH" }),
  "mapped, without the CRC property": mapped({ enabledAppendPropCRC: false }),
  "files that are not mapped": mapped({ writeWithoutMmap: true }),
  "files that are not mapped, synchronous flush": mapped({ writeWithoutMmap: true, flushDiskType: "SYNC_FLUSH" }),
  "mapped, with a transient pool": mapped({ transientStorePoolEnable: true, commitIntervalCommitLog: 1 }),
  memory: MessageStore.layerMemory(SMALL)
}

describe.each(Object.entries(backends))("MessageStore on %s", (_, layer) => {
  for (const { run, title } of testing.cases) {
    it.effect(title, () => Effect.provide(run, layer))
  }
})
