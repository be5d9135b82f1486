/**
 * The exit code of a failure, the same for every command.
 *
 * | code | meaning |
 * | --- | --- |
 * | 0 | done |
 * | 1 | a problem was found |
 * | 2 | bad usage or bad input |
 */
import * as Cause from "effect/Cause"
import * as Predicate from "effect/Predicate"
import * as CliError from "effect/cli/CliError"

export const DONE = 0
export const PROBLEM_FOUND = 1
export const BAD_INPUT = 2

/** Reasons of `CommandError`, `TransportError` and `StoreError` that blame what the user gave. */
const BAD_INPUT_REASONS: ReadonlySet<string> = new Set([
  "BadInput",
  "InvalidChannel",
  "InvalidOption",
  "MessageTooLong",
  "NotAStore",
  "OptionIllegal",
  "MessageIllegal",
  "PropertiesTooLong",
  "NotARecording"
])

export const ofCause = (cause: Cause.Cause<unknown>): number => {
  const error = Cause.squash(cause)
  if (CliError.isCliError(error)) {
    return isHelpOfRoot(error) ? DONE : BAD_INPUT
  }
  return isBadInput(error) || Predicate.isTagged(error, "ConfigError") ? BAD_INPUT : PROBLEM_FOUND
}

/** `millrace` alone asks what there is; everything else that ends in help is an unfinished command line. */
const isHelpOfRoot = (error: CliError.CliError): boolean =>
  error._tag === "ShowHelp" && error.errors.length === 0 && error.commandPath.length === 1

const isBadInput = (error: unknown): boolean =>
  Predicate.hasProperty(error, "reason") &&
  Predicate.hasProperty(error.reason, "_tag") &&
  BAD_INPUT_REASONS.has(String(error.reason._tag))
