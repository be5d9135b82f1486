/** Opens the store of a directory for a command. */
import * as MessageStore from "@millrace/store/MessageStore"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { badInput } from "../CommandError.ts"
import { settingsOf } from "../store/StoreFlags.ts"

const FIRST_PUT = "The first message makes a store: millrace store put"

/** Makes no store: a directory that is missing or has no store in it is bad input. */
export const refuseNoStore = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  const entries = yield* Effect.mapError(fs.readDirectory(directory), (error) =>
    badInput(directory, error.reason._tag === "NotFound" ? `no such directory. ${FIRST_PUT}` : error.reason.message)
  )
  if (entries.length === 0) {
    return yield* badInput(directory, `is not a store: it is empty. ${FIRST_PUT}`)
  }
})

/** To look inside: read-only, without its lock, beside whoever writes it. */
export const readOnly = (directory: string, config: ReadonlyArray<string> = []) =>
  Layer.unwrap(
    Effect.gen(function* () {
      yield* refuseNoStore(directory)
      const settings = yield* settingsOf(config)
      return MessageStore.layer({ ...settings, directory, readOnly: true })
    })
  )
