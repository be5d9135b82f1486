/**
 * The device under a store of ours loses its power while it is written: copies of it are opened by ours and by the real
 * store, each on its own, and whatever was acknowledged as on the device is listed by both, once, where it was said to
 * stand. It takes root and loop devices. `MILLRACE_SEED` and `MILLRACE_COUNT` say which copies, and how many.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { randomInt } from "node:crypto"
import { cpSync, rmSync } from "node:fs"
import { join } from "node:path"
import { type Acknowledged, bodyOf, idOf, SMALL } from "../../packages/store/test/fixtures/CrashStore.ts"
import { noLoopReason } from "../../packages/store/test/fixtures/LoopDevice.ts"
import * as PowerLoss from "../../packages/store/test/fixtures/PowerLoss.ts"
import type { Context } from "../Part.ts"
import { Handle } from "./Handle.ts"
import type { Listing } from "./Listing.ts"
import { Peers, type VersionOptions } from "./Peers.ts"

const COPIES = 2
const COPIES_LONG = 100
const SEED_MAX = 2 ** 31
const TOLD_EVERY = 20

/** What the real store must know of a store with small files. */
const CONFIG = {
  mappedFileSizeCommitLog: SMALL.mappedFileSizeCommitLog,
  mappedFileSizeConsumeQueue: SMALL.mappedFileSizeConsumeQueue,
  maxHashSlotNum: SMALL.maxHashSlotNum,
  maxIndexNum: SMALL.maxIndexNum
}

export const run = async (context: Context, versions: ReadonlyArray<VersionOptions>): Promise<void> => {
  const { isLong, report } = context
  const count = Number(process.env["MILLRACE_COUNT"] ?? (isLong ? COPIES_LONG : COPIES))
  const seed = Number(process.env["MILLRACE_SEED"] ?? randomInt(SEED_MAX))
  const names = versions.map(({ version }) => version).join(" and ")
  const title = `rocketmq power: ${count} copies from seed ${seed}`
  if (noLoopReason !== undefined) {
    report.holds(`${title}: skipped, because ${noLoopReason}`, true, "")
    return
  }
  const openers = versions.map((options) => ({ version: options.version, peers: new Peers(options) }))
  const losses = { count, seed, check: (lost: PowerLoss.LostPower) => checkAll(context.scratch, openers, lost) }
  try {
    const held = await Effect.runPromiseExit(Effect.scoped(PowerLoss.losePower(losses)))
    const acknowledged = Exit.isSuccess(held) ? `${held.value} messages were acknowledged` : ""
    report.holds(
      `${title}: ours, ${names} list what was acknowledged; ${acknowledged}`,
      Exit.isSuccess(held),
      causeOf(held)
    )
    // The same without a sync: who finds nothing then has not looked.
    const forgetful = { ...losses, count: PowerLoss.COPIES_A_LIFE, more: { isForgetful: true } }
    for (const opener of openers) {
      const check = (lost: PowerLoss.LostPower) => checkReal(context.scratch, opener, lost)
      const found = await Effect.runPromiseExit(Effect.scoped(PowerLoss.losePower({ ...forgetful, check })))
      const text = causeOf(found)
      report.holds(`${title}: ${opener.version} misses something where syncs do nothing`, /is missing/.test(text), text)
    }
  } finally {
    await Promise.all(openers.map(({ peers }) => peers.stop()))
  }
}

const causeOf = (exit: Exit.Exit<number>): string =>
  Exit.isSuccess(exit) ? "nothing was missed" : Cause.pretty(exit.cause)

interface Opener {
  readonly version: string
  readonly peers: Peers
}

/** Ours comes last: the others have copies of what the failure has left, and ours opens that itself. */
const checkAll = (scratch: string, openers: ReadonlyArray<Opener>, lost: PowerLoss.LostPower): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* Effect.forEach(openers, (opener) => checkReal(scratch, opener, lost), {
      concurrency: "unbounded",
      discard: true
    })
    yield* lost.owed.check(0)
    if ((lost.number + 1) % TOLD_EVERY === 0) {
      process.stdout.write(`${lost.number + 1} copies were opened\n`)
    }
  })

const checkReal = (scratch: string, { peers, version }: Opener, { directory, number, owed }: PowerLoss.LostPower) =>
  Effect.promise(async () => {
    const copy = join(scratch, `power-${version}-${number}`)
    cpSync(directory, copy, { recursive: true, preserveTimestamps: true })
    const store = await Handle.open(peers.lasting("real"), copy, CONFIG)
    const problems = problemsOf(await store.list(), owed.owed)
    await store.close()
    if (problems.length > 0) {
      throw new Error(`copy ${number}, ${version}: ${problems.length} problems: ${problems.slice(0, 5).join("; ")}`)
    }
    rmSync(copy, { recursive: true, force: true })
  })

/** Where a listing falls short of what is owed. */
const problemsOf = ({ messages, queues }: Listing, owed: Iterable<Acknowledged>): ReadonlyArray<string> => {
  const problems: Array<string> = []
  const byPosition = new Map(messages.map((message) => [message.position, message]))
  const byQueue = new Map(queues.map((queue) => [`${queue.topic} ${queue.queueId}`, queue]))
  const ids = messages.map(({ body }) => idOf(textOf(body)))
  if (new Set(ids).size !== ids.length) {
    problems.push(`${ids.length} records have ${new Set(ids).size} ids`)
  }
  for (const { id, position, queueId, queueOffset, topic } of owed) {
    const message = byPosition.get(position)
    if (message === undefined || textOf(message.body) !== bodyOf(id)) {
      problems.push(`${id} is missing at ${position}`)
    } else if (message.topic !== topic || message.queueId !== queueId || message.queueOffset !== queueOffset) {
      problems.push(`${id} is of ${message.topic} ${message.queueId} ${message.queueOffset}`)
    }
    const queue = byQueue.get(`${topic} ${queueId}`)
    const entry = queue?.entries[queueOffset - queue.minOffset]
    if (entry?.[0] !== position) {
      problems.push(`${id} at ${position} is missing in ${topic} ${queueId} at ${queueOffset}: ${entry?.join(" ")}`)
    }
  }
  return problems
}

const textOf = (body: string): string => Buffer.from(body, "base64").toString()
