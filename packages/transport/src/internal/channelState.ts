/** What the driver says about the channel of a publication or subscription. */
import * as Effect from "effect/Effect"
import type { CountersReader } from "@millrace/core/kernel/counters/CountersReader"
import type { ChannelStatus } from "../Channel.ts"
import * as Status from "../client/ChannelStatus.ts"
import { Corrupt, type TransportError, type TransportErrorReason } from "../TransportError.ts"
import { attempt, fail } from "./transportError.ts"

/** Who uses a channel, in the connection that there is. */
export interface ChannelUser {
  readonly kernel: { readonly isClosed: boolean; readonly channelStatusId: number; readonly channel: string }
  readonly counters: CountersReader
  readonly isWaiting: boolean
  closed(): TransportErrorReason
}

const NAMES: ReadonlyMap<number, ChannelStatus> = new Map([
  [Status.ERRORED, "Errored"],
  [Status.INITIALIZING, "Initializing"],
  [Status.ACTIVE, "Active"],
  [Status.CLOSING, "Closing"]
])

/** Reads while the channel is used; `otherwise` while another driver is waited for. */
const read = <A>(
  user: ChannelUser,
  otherwise: A,
  evaluate: (counters: CountersReader, statusId: number) => A
): Effect.Effect<A, TransportError> =>
  Effect.suspend(() => {
    const { counters, isWaiting, kernel } = user
    if (!kernel.isClosed) {
      return attempt(() => evaluate(counters, kernel.channelStatusId))
    }
    return isWaiting ? Effect.succeed(otherwise) : fail(user.closed())
  })

export const status = (user: ChannelUser): Effect.Effect<ChannelStatus, TransportError> =>
  Effect.flatMap(read(user, Status.INITIALIZING, Status.read), (value) => {
    const name = NAMES.get(value)
    return name === undefined
      ? fail(new Corrupt({ resource: `the status of channel ${user.kernel.channel}`, detail: `it is ${value}` }))
      : Effect.succeed(name)
  })

export const localAddresses = (user: ChannelUser): Effect.Effect<ReadonlyArray<string>, TransportError> =>
  read<ReadonlyArray<string>>(user, [], Status.localAddresses)
