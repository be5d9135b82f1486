/** Recorders, publishers, replayers and drivers in processes of their own, which tests kill, and what was acknowledged. */
import * as Replayer from "@millrace/store/Replayer"
import { type Child, startScript } from "@millrace/testkit/runScript"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { assert } from "vitest"
import { decode } from "./Numbered.ts"

const compileCache = join(tmpdir(), "millrace-compile-cache")

const scripts = {
  driver: new URL("driver.ts", import.meta.url),
  publisher: new URL("publisher.ts", import.meta.url),
  recorder: new URL("recorder.ts", import.meta.url),
  replayer: new URL("replayer.ts", import.meta.url)
}

export const start = (role: keyof typeof scripts, ...args: ReadonlyArray<string>): Child =>
  startScript(scripts[role], args, { NODE_COMPILE_CACHE: compileCache })

/** xorshift32. */
export const randomOf = (seed: number): (() => number) => {
  let state = seed * 2654435761 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 0x1_0000_0000
  }
}

export const pause = (ms: number) => Effect.promise(() => new Promise((resolve) => setTimeout(resolve, ms)))

/** Waits for a line of a process; one that ends by itself, this or another that must go on, is a defect. */
export const lineOf = (child: Child, start: string, ...others: ReadonlyArray<Child>) =>
  Effect.promise(() => Promise.race([child.line(start), ...others.map(hasNotEnded)]))

const hasNotEnded = async ({ ended }: Child): Promise<never> => {
  const { code, stderr, stdout } = await ended
  throw new Error(`a process that must go on has ended with ${code}: ${stdout.split("\n").at(-2)} ${stderr}`)
}

export const kill = (child: Child) =>
  Effect.promise(() => {
    child.process.kill("SIGKILL")
    return child.ended
  })

/** Recorders of one store, one after the other, and what all of them have acknowledged. */
export class Recorders {
  readonly acknowledged = new Map<number, number>()
  readonly #args: ReadonlyArray<string>

  constructor(...args: ReadonlyArray<string>) {
    this.#args = args
  }

  start(): Effect.Effect<Child> {
    const child = start("recorder", ...this.#args)
    createInterface({ input: child.process.stdout! }).on("line", (line) => {
      const [word, session, position] = line.split(" ")
      if (word === "ack") {
        this.acknowledged.set(Number(session), Number(position))
      }
    })
    return Effect.as(lineOf(child, "ready"), child)
  }
}

/**
 * What a recording has, session by session: numbers from 0 on, none twice and none before another, and without a hole
 * but where a gap is told; and all that was acknowledged. Gives how many messages each session has.
 */
export const check = Effect.fnUntraced(function* (
  acknowledged: ReadonlyMap<number, number>,
  onGap: Replayer.OnGap = "fail"
) {
  const replayer = yield* Replayer.make("recording")
  const counts = new Map<number, number>()
  const next = new Map<number, number>()
  const ends = new Map<number, number>()
  const gaps = new Set<number>()
  yield* replayer.stream({ from: "earliest", onGap }).pipe(
    Stream.runForEach((element) =>
      Effect.sync(() => {
        const { sessionId } = element
        if (element._tag === "Gap") {
          gaps.add(sessionId)
          return
        }
        const number = decode(element.payload)
        const expected = next.get(sessionId) ?? 0
        if (gaps.delete(sessionId)) {
          assert.isAtLeast(number, expected)
        } else {
          assert.strictEqual(number, expected)
        }
        next.set(sessionId, number + 1)
        counts.set(sessionId, (counts.get(sessionId) ?? 0) + 1)
        ends.set(sessionId, element.position)
      })
    )
  )
  for (const [sessionId, position] of acknowledged) {
    assert.isAtLeast(ends.get(sessionId) ?? 0, position, `session ${sessionId} was acknowledged up to ${position}`)
  }
  return counts
})
