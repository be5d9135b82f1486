/** Writes the options of a channel as the parameters of its URI. */
import { assert } from "@millrace/core/kernel/memory/Assert"
import * as Duration from "effect/Duration"
import type { Channel, ChannelOptions, UdpOptions } from "../Channel.ts"

type Options = Required<UdpOptions>

const NS_PER_MS = 1e6

/** One option as parameters: `key=value`, one or several. */
type Writer<Name extends keyof Options> = (value: Options[Name]) => ReadonlyArray<string>

const plain =
  (key: string) =>
  (value: number | string | boolean): ReadonlyArray<string> => [`${key}=${value}`]

const nanoseconds =
  (key: string) =>
  (value: Duration.Input): ReadonlyArray<string> => {
    const ns = Math.round(Duration.toMillis(value) * NS_PER_MS)
    assert(Number.isSafeInteger(ns) && ns >= 0, "a duration of a channel is finite and not negative")
    return [`${key}=${ns}ns`]
  }

/** In the order in which the parameters are written. */
const WRITERS: { readonly [Name in keyof Options]: Writer<Name> } = {
  interface: plain("interface"),
  termLength: plain("term-length"),
  mtu: plain("mtu"),
  sessionId: (value) => [`session-id=${typeof value === "number" ? value : `tag:${value.tag}`}`],
  streamId: plain("stream-id"),
  initialPosition: ({ initialTermId, termId, termOffset }) => [
    `init-term-id=${initialTermId}`,
    `term-id=${termId}`,
    `term-offset=${termOffset}`
  ],
  publicationWindow: plain("pub-wnd"),
  linger: nanoseconds("linger"),
  eos: plain("eos"),
  sparse: plain("sparse"),
  tether: plain("tether"),
  rejoin: plain("rejoin"),
  untetheredWindowLimitTimeout: nanoseconds("untethered-window-limit-timeout"),
  untetheredLingerTimeout: nanoseconds("untethered-linger-timeout"),
  untetheredRestingTimeout: nanoseconds("untethered-resting-timeout"),
  tags: ({ channel, entity }) => [`tags=${channel}${entity === undefined ? "" : `,${entity}`}`],
  spiesSimulateConnection: plain("ssc"),
  alias: plain("alias"),
  reliable: plain("reliable"),
  congestionControl: plain("cc"),
  receiverWindow: plain("rcv-wnd"),
  socketReceiveBuffer: plain("so-rcvbuf"),
  socketSendBuffer: plain("so-sndbuf"),
  maxResend: plain("max-resend"),
  nakDelay: nanoseconds("nak-delay"),
  sendTimestampOffset: plain("channel-snd-ts-offset"),
  receiveTimestampOffset: plain("channel-rcv-ts-offset"),
  mediaReceiveTimestampOffset: plain("media-rcv-ts-offset")
}

const write = <Name extends keyof Options>(name: Name, options: UdpOptions): ReadonlyArray<string> => {
  const value = options[name]
  return value === undefined ? [] : WRITERS[name](value as Options[Name])
}

export const build = (media: "ipc" | "udp", options: ChannelOptions & UdpOptions, endpoint?: string): Channel => {
  const names = Object.keys(WRITERS) as Array<keyof Options>
  const parameters = [
    ...(endpoint === undefined ? [] : [`endpoint=${endpoint}`]),
    ...names.flatMap((name) => write(name, options))
  ]
  // The grammar has no escape: what follows the bar would be another parameter.
  assert(!parameters.some((parameter) => parameter.includes("|")), "a parameter of a channel holds a |")
  return { _tag: "Channel", uri: parameters.length === 0 ? `aeron:${media}` : `aeron:${media}?${parameters.join("|")}` }
}
