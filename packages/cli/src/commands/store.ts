/** `millrace store …`: look inside a store. */
import * as Command from "effect/cli/Command"
import { storeTail } from "./storeTail.ts"
import { storeTopics } from "./storeTopics.ts"

export const store = Command.make("store").pipe(
  Command.withDescription("Look inside a message store, this one's or RocketMQ's."),
  Command.withShortDescription("Look inside a message store"),
  Command.withSubcommands([storeTopics, storeTail])
)
