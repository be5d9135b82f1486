/**
 * The grammar of an Aeron channel URI.
 *
 *     channel    = [ "aeron-spy:" ] "aeron:" media [ "?" parameter *( "|" parameter ) ]
 *     media      = "udp" / "ipc"
 *     parameter  = key "=" value            ; key not empty and without "|", value without "|"
 *
 * There is no escaping. A key that comes twice keeps its last value. Values may hold ":" and "=" (addresses, flow
 * control options), so only "|" ends one.
 */
import { InvalidChannel } from "./InvalidChannel.ts"

export const LENGTH_MAX = 4095
export const SPY_QUALIFIER = "aeron-spy"
export const IPC_CHANNEL = "aeron:ipc"

const SPY_PREFIX = "aeron-spy:"
const SCHEME = "aeron:"
const TAG_PREFIX = "tag:"

export type Media = "udp" | "ipc"

export class ChannelUri {
  readonly isSpy: boolean
  readonly media: Media
  readonly parameters: ReadonlyMap<string, string>
  /** The text it was parsed from. */
  readonly channel: string

  constructor(channel: string, isSpy: boolean, media: Media, parameters: ReadonlyMap<string, string>) {
    this.channel = channel
    this.isSpy = isSpy
    this.media = media
    this.parameters = parameters
  }

  get(key: string): string | undefined {
    return this.parameters.get(key)
  }

  has(key: string): boolean {
    return this.parameters.has(key)
  }

  get isIpc(): boolean {
    return this.media === "ipc"
  }

  /** First part of `tags`: the channel's own tag. */
  get channelTag(): string | undefined {
    return this.tagAt(0)
  }

  /** Second part of `tags`: the tag of the publication or subscription. */
  get entityTag(): string | undefined {
    return this.tagAt(1)
  }

  private tagAt(index: number): string | undefined {
    return this.parameters.get("tags")?.split(",")[index]
  }

  toString(): string {
    const parameters = Array.from(this.parameters, ([key, value]) => `${key}=${value}`).join("|")
    return `${this.isSpy ? SPY_PREFIX : ""}${SCHEME}${this.media}${parameters.length > 0 ? `?${parameters}` : ""}`
  }
}

const invalid = (channel: string, value: string, allowed: string): InvalidChannel =>
  new InvalidChannel({ channel, parameter: "channel", value, allowed })

const parseMedia = (channel: string, media: string): Media => {
  if (media !== "udp" && media !== "ipc") {
    throw new InvalidChannel({ channel, parameter: "media", value: media, allowed: "udp or ipc" })
  }
  return media
}

const parseParameters = (channel: string, text: string): Map<string, string> => {
  const parameters = new Map<string, string>()
  for (const parameter of text.split("|")) {
    const equals = parameter.indexOf("=")
    if (equals === -1) {
      throw invalid(channel, parameter, "key=value between each two |")
    }
    if (equals === 0) {
      throw invalid(channel, parameter, "a key before each =")
    }
    parameters.set(parameter.slice(0, equals), parameter.slice(equals + 1))
  }
  return parameters
}

export const parse = (channel: string): ChannelUri => {
  if (channel.length > LENGTH_MAX) {
    const start = channel.slice(0, LENGTH_MAX)
    throw new InvalidChannel({
      channel: start,
      parameter: "length",
      value: String(channel.length),
      allowed: `at most ${LENGTH_MAX} characters`
    })
  }
  const isSpy = channel.startsWith(SPY_PREFIX)
  const schemeAt = isSpy ? SPY_PREFIX.length : 0
  if (!channel.startsWith(SCHEME, schemeAt)) {
    throw invalid(channel, channel, "a URI that starts with aeron:")
  }
  const mediaAt = schemeAt + SCHEME.length
  const question = channel.indexOf("?", mediaAt)
  const media = parseMedia(channel, question === -1 ? channel.slice(mediaAt) : channel.slice(mediaAt, question))
  const parameters = question === -1 ? new Map<string, string>() : parseParameters(channel, channel.slice(question + 1))
  return new ChannelUri(channel, isSpy, media, parameters)
}

/** The tag that a value of the form `tag:N` refers to; undefined for a plain value. */
export const referencedTag = (value: string): string | undefined =>
  value.startsWith(TAG_PREFIX) ? value.slice(TAG_PREFIX.length) : undefined
