/**
 * Channels: where messages go, as a value instead of a URI put together by hand.
 *
 * @since 0.1.0
 */
import * as ChannelUri from "./channel/ChannelUri.ts"
import { attempt } from "./internal/transportError.ts"
import type * as Effect from "effect/Effect"
import type { TransportError } from "./TransportError.ts"

/**
 * A channel with its parameters.
 *
 * @category models
 * @since 0.1.0
 */
export interface Channel {
  readonly _tag: "Channel"
  /** The URI, as drivers of any language read it. */
  readonly uri: string
}

/**
 * Parameters that every channel can have. Sizes are bytes.
 *
 * @category models
 * @since 0.1.0
 */
export interface ChannelOptions {
  /** Length of a term: a power of two from 64 KiB to 1 GiB. */
  readonly termLength?: number
  /** Longest frame, with its header. */
  readonly mtu?: number
  /** The publication's session, or the one session that a subscription accepts. */
  readonly sessionId?: number
  /** How far a publisher may be ahead of its subscribers. */
  readonly publicationWindow?: number
  /** The log takes no blocks when it is made. */
  readonly sparse?: boolean
  /** Whether a slow subscription holds back its publishers. */
  readonly tether?: boolean
  /** Whether a subscription that was left behind joins again. */
  readonly rejoin?: boolean
  /** Shown in counters' labels; nothing else. */
  readonly alias?: string
}

const NAMES = {
  termLength: "term-length",
  mtu: "mtu",
  sessionId: "session-id",
  publicationWindow: "pub-wnd",
  sparse: "sparse",
  tether: "tether",
  rejoin: "rejoin",
  alias: "alias"
} as const satisfies Record<keyof ChannelOptions, string>

/**
 * A channel between the processes of this machine.
 *
 * @category constructors
 * @since 0.1.0
 */
export const ipc = (options: ChannelOptions = {}): Channel => {
  const parameters = Object.entries(NAMES)
    .map(([option, name]) => [name, options[option as keyof ChannelOptions]] as const)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`)
  return { _tag: "Channel", uri: parameters.length === 0 ? "aeron:ipc" : `aeron:ipc?${parameters.join("|")}` }
}

/**
 * Reads a URI, or fails with `InvalidChannel`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const parse = (uri: string): Effect.Effect<Channel, TransportError> =>
  attempt(() => ({ _tag: "Channel", uri: ChannelUri.parse(uri).toString() }))
