import * as Effect from "effect/Effect"
import type { Channel } from "../Channel.ts"
import * as ChannelUri from "../channel/ChannelUri.ts"
import { InvalidOption, type TransportError } from "../TransportError.ts"
import { attempt, fail } from "./transportError.ts"

const INT32_MAX = 2 ** 31 - 1

/** The channel's URI. Its grammar is checked here, so that a typing error fails at once and names the parameter. */
export const checkChannel = (channel: string | Channel, streamId: number): Effect.Effect<string, TransportError> => {
  const uri = typeof channel === "string" ? channel : channel.uri
  if (!Number.isInteger(streamId) || streamId < -INT32_MAX - 1 || streamId > INT32_MAX) {
    return fail(
      new InvalidOption({ option: "streamId", value: String(streamId), allowed: "a whole number of 32 bits" })
    )
  }
  return Effect.as(
    attempt(() => ChannelUri.parse(uri)),
    uri
  )
}
