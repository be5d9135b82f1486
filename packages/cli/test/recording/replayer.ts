/**
 * Replays one session into a file, a line a message: `store session file`. It goes on behind the last whole line, which is
 * all that it keeps. Prints `at <number>` after each few of them, and `done`.
 */
import * as MessageStore from "@millrace/store/MessageStore"
import * as Replayer from "@millrace/store/Replayer"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import { decode } from "./Numbered.ts"

const [store = "", session = "", file = ""] = process.argv.slice(2)
const FEW = 20

/** A line that was cut off by the death of its writer was never written. */
const lastPosition = (): number | undefined => {
  const text = fs.existsSync(file) ? fs.readFileSync(file, "latin1") : ""
  const whole = text.slice(0, text.lastIndexOf("\n") + 1)
  fs.writeFileSync(file, whole)
  const line = whole.split("\n").at(-2)
  return line === undefined ? undefined : Number(line.split(" ")[1])
}

const program = Effect.gen(function* () {
  const replayer = yield* Replayer.make("recording")
  const sessionId = Number(session)
  const position = lastPosition()
  yield* replayer.stream({ from: position === undefined ? "earliest" : { position, sessionId }, sessionId }).pipe(
    Stream.rechunk(FEW),
    Stream.runForEachArray((messages) =>
      Effect.andThen(
        Effect.sync(() => {
          fs.appendFileSync(file, messages.map((each) => `${decode(each.payload)} ${each.position}\n`).join(""))
          process.stdout.write(`at ${decode(messages.at(-1)!.payload)}\n`)
        }),
        Effect.sleep("1 millis")
      )
    )
  )
  process.stdout.write("done\n")
}).pipe(Effect.provide(MessageStore.layer({ directory: store, readOnly: true })))

await Effect.runPromise(program)
