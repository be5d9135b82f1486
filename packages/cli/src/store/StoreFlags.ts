/** Flags and arguments that the commands on stores share. */
import * as MessageStoreConfig from "@millrace/store/MessageStoreConfig"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import { badInput, type CommandError } from "../CommandError.ts"

export const directory = Argument.String("dir").pipe(
  Argument.withMetavar("DIR"),
  Argument.withDescription("Directory of a store")
)

export const config = Flag.String("config").pipe(
  Flag.withDescription("A setting of the store by RocketMQ's name; may be repeated"),
  Flag.withMetavar("NAME=VALUE"),
  Flag.atLeast(0)
)

export const topic = Flag.String("topic").pipe(Flag.withDescription("Name of the topic"), Flag.withMetavar("NAME"))

export const onlyTopic = Flag.String("topic").pipe(
  Flag.withDescription("The topic; may be left out when the store has only one"),
  Flag.withMetavar("NAME"),
  Flag.optional
)

const Natural = Schema.Int.pipe(
  Schema.check(Schema.isGreaterThanOrEqualTo(0, { message: "it must be a whole number from 0 on" }))
)

export const natural = (name: string) => Flag.Int(name).pipe(Flag.withSchema(Natural))

export const queue = natural("queue").pipe(Flag.withDescription("Id of the queue"), Flag.withMetavar("ID"))

/** A time: milliseconds since the epoch, or a date as ISO 8601 has it. */
export const time = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.filterMap(
      (text) => {
        const timeMs = /^\d+$/.test(text) ? Number(text) : Date.parse(text)
        return Number.isSafeInteger(timeMs) ? Option.some(timeMs) : Option.none()
      },
      (text) => `Expected milliseconds since the epoch, or a date like 2026-11-30T09:00:00Z, got: ${text}`
    ),
    Flag.withDescription(description),
    Flag.withMetavar("MS")
  )

export const flush = Flag.Literals("flush", ["sync", "async"]).pipe(
  Flag.withDescription("Whether a put waits for the device [that of the settings: async]"),
  Flag.withMetavar("sync|async"),
  Flag.optional
)

export const queueType = Flag.Literals("queue-type", ["SimpleCQ", "BatchCQ"]).pipe(
  Flag.withDescription("What queues a topic gets that has none: BatchCQ takes inner batches [SimpleCQ]"),
  Flag.withMetavar("SimpleCQ|BatchCQ"),
  Flag.optional
)

/** Options of a store without its directory. */
export type StoreSettings = Omit<MessageStoreConfig.MessageStoreOptions, "directory">

/** Settings out of `--config` flags, and of `--flush`, which wins. */
export const settingsOf = (
  entries: ReadonlyArray<string>,
  flushMode: Option.Option<"sync" | "async"> = Option.none()
): Effect.Effect<StoreSettings, CommandError> =>
  Effect.gen(function* () {
    const settings: Record<string, unknown> = {}
    for (const entry of entries) {
      const separator = entry.indexOf("=")
      if (separator <= 0) {
        return yield* badInput(`--config ${entry}`, "has not the form name=value")
      }
      const name = entry.slice(0, separator)
      settings[name] = yield* valueOf(name, entry.slice(separator + 1))
    }
    if (Option.isSome(flushMode)) {
      settings["flushDiskType"] = flushMode.value === "sync" ? "SYNC_FLUSH" : "ASYNC_FLUSH"
    }
    return settings
  })

const valueOf = (name: string, text: string): Effect.Effect<unknown, CommandError> => {
  if (name === "storePathCommitLog") {
    return Effect.succeed(text.split(","))
  }
  const setting = Object.entries<MessageStoreConfig.Setting>(MessageStoreConfig.settings).find(
    ([known]) => known === name
  )?.[1]
  switch (setting?.kind) {
    case undefined:
      return badInput(`--config ${name}`, `there is no such setting: ${nearest(name)}`)
    case "integer":
      return /^-?\d+$/.test(text)
        ? Effect.succeed(Number(text))
        : badInput(`--config ${name}`, `${text} is not a whole number`)
    case "boolean":
      return text === "true" || text === "false"
        ? Effect.succeed(text === "true")
        : badInput(`--config ${name}`, `${text} is neither true nor false`)
    case "choice":
    case "text":
      return Effect.succeed(text)
  }
}

const nearest = (name: string): string => {
  const known = Object.keys(MessageStoreConfig.settings)
  const alike = known.filter((setting) => isAlike(setting.toLowerCase(), name.toLowerCase()))
  return alike.length > 0 ? `did you mean ${alike.join(" or ")}?` : "docs/configuration.md lists them"
}

const isAlike = (setting: string, name: string): boolean => setting.includes(name) || name.includes(setting)
