/**
 * The most anonymous memory that this process had: its heap, stacks and buffers, but not the files it maps, which are
 * the page cache's and can be dropped at any time.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"

const SAMPLE_INTERVAL = "50 millis"

/**
 * Linux keeps the peak of all resident memory (`VmHWM`), mapped files with it, but of anonymous memory only the present
 * value: so it is sampled. Elsewhere V8's own account of its heap and its buffers stands in for it.
 */
const anonymousBytes = (): number => {
  if (process.platform === "linux") {
    const match = /^RssAnon:\s*(\d+) kB$/m.exec(fs.readFileSync("/proc/self/status", "latin1"))
    if (match !== null) {
      return Number(match[1]) * 1024
    }
  }
  return process.memoryUsage().heapTotal
}

/** Starts sampling; the effect it gives returns the peak so far in bytes. */
export const sampled: Effect.Effect<Effect.Effect<number>, never, Scope.Scope> = Effect.gen(function* () {
  let peak = 0
  const sample = Effect.sync(() => {
    peak = Math.max(peak, anonymousBytes())
    return peak
  })
  yield* sample.pipe(Effect.repeat(Schedule.spaced(SAMPLE_INTERVAL)), Effect.forkScoped)
  return sample
})
