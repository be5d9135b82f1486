/** What it says when a file that the user named cannot be read. */
import type { PlatformError } from "effect/PlatformError"
import { badInput, type CommandError } from "../CommandError.ts"

export const unreadable =
  (file: string) =>
  (error: PlatformError): CommandError => {
    switch (error.reason._tag) {
      case "NotFound":
        return badInput(file, "no such file")
      case "PermissionDenied":
        return badInput(file, "may not be read (permission denied)")
      default:
        return badInput(file, error.reason.message)
    }
  }
