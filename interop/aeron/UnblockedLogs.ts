/**
 * Aeron's own `LogBufferUnblocker` beside ours: the same abandoned log for both, for every store at which each writer can
 * die, in the middle of a term and where it ends, with and without another writer behind. The logs must be equal byte
 * for byte afterwards.
 */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { alignFrame } from "../../packages/core/src/logbuffer/FrameDescriptor.ts"
import type { LogBuffers } from "../../packages/core/src/logbuffer/LogBuffers.ts"
import { TermAppender } from "../../packages/core/src/logbuffer/TermAppender.ts"
import { bytesOf, message, TERM_LENGTH } from "../../packages/core/test/logbuffer/testLog.ts"
import type { Context } from "../Part.ts"
import * as Deaths from "./Deaths.ts"
import * as LogWalk from "./LogWalk.ts"
import { java, killAll, type Process } from "./Process.ts"

/** Where the streams begin: room for all, for most, for a short one, and for none. */
const STARTS = [0, TERM_LENGTH - 2048, TERM_LENGTH - 352, TERM_LENGTH - 96]
const AFTER = message(9, 24)
const AFTER_FRAME_LENGTH = 56

interface Abandoned {
  readonly death: Deaths.Death
  readonly start: number
  /** Whether another writer appended behind. */
  readonly isFollowed: boolean
}

export const run = async (context: Context): Promise<void> => {
  const directory = mkdtempSync(join(context.scratch, "unblocked-"))
  const unblocker = java("unblocker", "millrace.interop.Unblocker", [])
  try {
    for (const writer of Object.keys(Deaths.WRITERS) as Array<Deaths.WriterName>) {
      await checkWriter(context, unblocker, join(directory, "abandoned.logbuffer"), writer)
    }
    await unblocker.finish()
  } finally {
    killAll()
  }
}

const checkWriter = async (
  { report }: Context,
  unblocker: Process,
  path: string,
  writer: Deaths.WriterName
): Promise<void> => {
  const ours: Record<string, string> = {}
  const theirs: Record<string, string> = {}
  const differing: Array<string> = []
  const unlikePadding: Array<string> = []
  for (const abandoned of statesOf(writer)) {
    const name = nameOf(abandoned)
    const log = logOf(abandoned)
    writeFileSync(path, bytesOf(log))
    ours[name] = LogWalk.unblocked(log, abandoned.start)
    theirs[name] = await unblocker.ask(`${path} ${abandoned.start}`)
    const difference = firstDifference(bytesOf(log), readFileSync(path))
    if (difference >= 0) {
      differing.push(`${name}: byte ${difference}`)
    }
    if (!isOnePadding(abandoned, ours[name])) {
      unlikePadding.push(`${name}: ${ours[name]}`)
    }
  }
  const title = `unblocker: ${writer}, ${Object.keys(ours).length} abandoned logs`
  report.equal(`${title}: frames`, { name: "millrace", value: ours }, { name: "java", value: theirs })
  report.holds(`${title}: byte for byte`, differing.length === 0, differing.join("; "))
  if (!Deaths.WRITERS[writer].isFragmented) {
    report.holds(`${title}: one PAD over the claim`, unlikePadding.length === 0, unlikePadding.join("; "))
  }
}

const statesOf = (writer: Deaths.WriterName): ReadonlyArray<Abandoned> =>
  STARTS.flatMap((start) =>
    Deaths.deathsOf(writer, () => Deaths.emptyLog(start)).flatMap((death) =>
      // An exclusive log has no other writer.
      (Deaths.WRITERS[writer].isExclusive ? [false] : [false, true]).map((isFollowed) => ({ death, start, isFollowed }))
    )
  )

const nameOf = ({ death, isFollowed, start }: Abandoned): string =>
  `from ${start} dead before store ${death.steps}${isFollowed ? ", followed" : ""}`

const logOf = ({ death, isFollowed, start }: Abandoned): LogBuffers => {
  const log = Deaths.emptyLog(start)
  Deaths.die(log, death)
  if (isFollowed) {
    const appender = new TermAppender(log)
    Deaths.append(() => appender.append(AFTER, 0, AFTER.length))
  }
  return log
}

/** Asked in the middle of a term, where nothing else is padded. */
const isOnePadding = ({ death, isFollowed, start }: Abandoned, walk: string): boolean => {
  if (start !== 0) {
    return true
  }
  if (death.steps === 0 && !isFollowed) {
    // Nothing says how far the claim reaches before somebody has written behind it; no reader misses anything yet.
    return walk === "@0"
  }
  const { claimLength } = Deaths.WRITERS[death.writer]
  const [unblocked, padding, ...rest] = walk.split(" ")
  const isWholeClaim = padding?.[0] === "P" && alignFrame(Number(padding.slice(1))) === claimLength
  const followed = isFollowed ? [`D${AFTER_FRAME_LENGTH}`] : []
  const end = claimLength + (isFollowed ? alignFrame(AFTER_FRAME_LENGTH) : 0)
  return unblocked === "u" && isWholeClaim && rest.join(" ") === [...followed, `@${end}`].join(" ")
}

/** Index of the first byte that differs, or -1. */
const firstDifference = (left: Uint8Array, right: Uint8Array): number =>
  Buffer.compare(left, right) === 0
    ? -1
    : Math.max(
        0,
        left.findIndex((byte, index) => byte !== right[index])
      )
