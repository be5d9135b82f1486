/** Lines of text to standard output: those that are there at once in one write. */
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"

const inOneWrite = (lines: ReadonlyArray<string>): string => (lines.length === 0 ? "" : `${lines.join("\n")}\n`)

export const print = Effect.fnUntraced(function* (lines: ReadonlyArray<string>) {
  const stdio = yield* Stdio.Stdio
  yield* Stream.run(Stream.succeed(inOneWrite(lines)), stdio.stdout())
})

/** Prints a stream of lines as they come. */
export const printAll = Effect.fnUntraced(function* <E, R>(lines: Stream.Stream<string, E, R>) {
  const stdio = yield* Stdio.Stdio
  yield* lines.pipe(
    Stream.mapArray((together) => [inOneWrite(together)] as const),
    Stream.run(stdio.stdout())
  )
})
