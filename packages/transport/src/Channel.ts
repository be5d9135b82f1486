/**
 * Channels: where messages go, as a value instead of a URI put together by hand.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as ChannelUri from "./channel/ChannelUri.ts"
import * as channelBuilder from "./internal/channelBuilder.ts"
import { attempt } from "./internal/transportError.ts"
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
 * What the driver says of a channel: `Errored` means that its socket failed, and that what uses it gets nothing any more.
 *
 * @category models
 * @since 0.1.0
 */
export type ChannelStatus = "Initializing" | "Active" | "Errored" | "Closing"

/**
 * Where a stream begins: for a publication that goes on with a recorded one.
 *
 * @category models
 * @since 0.1.0
 */
export interface InitialPosition {
  readonly initialTermId: number
  /** The term that the stream goes on in: at or behind the initial one. */
  readonly termId: number
  /** A multiple of 32, within the term. */
  readonly termOffset: number
}

/**
 * Parameters that every channel can have. What only a publication or only a subscription reads, the other ignores, so that
 * both may have the same channel. Sizes are bytes.
 *
 * @category models
 * @since 0.1.0
 */
export interface ChannelOptions {
  /** Length of a term: a power of two from 64 KiB to 1 GiB. */
  readonly termLength?: number
  /** Longest frame, with its header: a multiple of 32, at most 65,504. */
  readonly mtu?: number
  /**
   * The publication's session, or the one session that a subscription accepts. With a tag: session, term length and mtu of
   * the publication that has this entity tag.
   */
  readonly sessionId?: number | { readonly tag: bigint }
  /** The only stream id that this channel may be used with. */
  readonly streamId?: number
  /** Where the stream of an exclusive publication begins. */
  readonly initialPosition?: InitialPosition
  /** How far a publisher may be ahead of its subscribers: from one mtu to half a term, the default. */
  readonly publicationWindow?: number
  /** How long a network publication that is drained stays for retransmits. Default 5 seconds. */
  readonly linger?: Duration.Input
  /** Whether subscribers are told the end of the stream when its publication closes. Default true. */
  readonly eos?: boolean
  /** The log takes no blocks when it is made. */
  readonly sparse?: boolean
  /** Whether a slow subscription holds back its publishers. Default true. */
  readonly tether?: boolean
  /** Whether a subscription that was left behind joins again. Default true. */
  readonly rejoin?: boolean
  /** How long a subscription that is not tethered may stay below the window. Default 5 seconds. */
  readonly untetheredWindowLimitTimeout?: Duration.Input
  /** How long one that was left behind still has its image. Default: the time above. */
  readonly untetheredLingerTimeout?: Duration.Input
  /** How long one that was left behind rests before it joins again. Default 10 seconds. */
  readonly untetheredRestingTimeout?: Duration.Input
  /** By which others refer to this channel, and to its publication or subscription. −1 is reserved. */
  readonly tags?: { readonly channel: bigint; readonly entity?: bigint }
  /** Whether a spy makes the publication connected without any receiver. */
  readonly spiesSimulateConnection?: boolean
  /** Shown in counters' labels; nothing else. */
  readonly alias?: string
}

/**
 * Parameters that a channel over UDP can have besides. Sizes are bytes.
 *
 * @category models
 * @since 0.1.0
 */
export interface UdpOptions extends ChannelOptions {
  /** The local address to send from or receive on: `address[:port][/maskbits]`, or `{name}[:port]`. */
  readonly interface?: string
  /** Whether lost data is asked for again, the default, or left out. */
  readonly reliable?: boolean
  /** How the window of an image is chosen: it stays, the default, or follows losses. */
  readonly congestionControl?: "static" | "cubic"
  /** How far a publisher may be ahead of a receiver. Default 128 KiB, at most half a term. */
  readonly receiverWindow?: number
  /** Receive buffer of the socket: at least the window. */
  readonly socketReceiveBuffer?: number
  /** Send buffer of the socket: at least the mtu. */
  readonly socketSendBuffer?: number
  /** Retransmits that a publication has under way at once: 1 to 256. Default 16. */
  readonly maxResend?: number
  /** How long a receiver waits before it asks for what is missing. Default 1 µs. */
  readonly nakDelay?: Duration.Input
  /**
   * Where in a message's payload the time goes at which it was sent over UDP, in nanoseconds since 1970: an offset of 8
   * bytes, or in place of the reserved value. A message that is too short for it stays as it is. All publications to one
   * endpoint have the same.
   */
  readonly sendTimestampOffset?: number | "reserved"
  /** Where the time goes at which it was received. All subscriptions of one endpoint have the same. */
  readonly receiveTimestampOffset?: number | "reserved"
  /** As above, taken by the network card or the system. Aeron's C driver alone can; others refuse it. */
  readonly mediaReceiveTimestampOffset?: number | "reserved"
}

/**
 * A channel between the processes of this machine.
 *
 * **Example** (A small log, whose subscribers are left behind when they are slow)
 *
 * ```ts
 * import { Channel } from "@millrace/transport"
 *
 * Channel.ipc({ termLength: 64 * 1024, tether: false }).uri // => "aeron:ipc?term-length=65536|tether=false"
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const ipc = (options: ChannelOptions = {}): Channel => channelBuilder.build("ipc", options)

/**
 * A channel over UDP, from one sender to one receiver: `endpoint` is where the receiver listens, `host:port`, an IPv6
 * address in brackets. With port 0 a subscription takes a port that is free; `tryResolveChannelEndpointPort` of the
 * subscription says which.
 *
 * **Example** (A channel to this host that follows losses)
 *
 * ```ts
 * import { Channel } from "@millrace/transport"
 *
 * const { uri } = Channel.udp("localhost:40123", { congestionControl: "cubic", linger: "1 second" })
 * uri // => "aeron:udp?endpoint=localhost:40123|linger=1000000000ns|cc=cubic"
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const udp = (endpoint: string, options: UdpOptions = {}): Channel =>
  channelBuilder.build("udp", options, endpoint)

/**
 * Reads a URI, or fails with `InvalidChannel`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const parse = (uri: string): Effect.Effect<Channel, TransportError> =>
  attempt(() => ({ _tag: "Channel", uri: ChannelUri.parse(uri).toString() }))
