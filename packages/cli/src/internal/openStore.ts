/** Opens the store of a directory to look inside: read-only, without its lock, beside whoever writes it. */
import * as MessageStore from "@millrace/store/MessageStore"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { badInput } from "../CommandError.ts"

/** Makes no store: a directory that is missing or has no store in it is bad input. */
export const readOnly = (directory: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const entries = yield* Effect.mapError(fs.readDirectory(directory), (error) =>
        badInput(directory, error.reason._tag === "NotFound" ? "no such directory" : error.reason.message)
      )
      if (entries.length === 0) {
        return yield* badInput(directory, "is not a store: it is empty")
      }
      return MessageStore.layer({ directory, readOnly: true })
    })
  )
