/**
 * What the counters of a driver say about a channel: its status, and the addresses that it is bound to.
 *
 * Key of a local address: the id of the channel's status i32 at 0, length i32 at 4, then the text.
 */
import * as CountersDescriptor from "@millrace/core/kernel/counters/CountersDescriptor"
import type { CountersReader } from "@millrace/core/kernel/counters/CountersReader"
import * as ChannelUri from "../channel/ChannelUri.ts"
import * as SocketAddress from "../channel/SocketAddress.ts"

/** The channel has no status: nothing of it can fail (IPC). */
const NO_STATUS_ID = -1

export const ERRORED = -1
export const INITIALIZING = 0
export const ACTIVE = 1
export const CLOSING = 2

const LOCAL_ADDRESS_TYPE_ID = 14
const CHANNEL_STATUS_ID_OFFSET = 0
const TEXT_LENGTH_OFFSET = 4
const TEXT_OFFSET = 8
const TEXT_LENGTH_MAX = CountersDescriptor.KEY_LENGTH_MAX - TEXT_OFFSET

const decoder = new TextDecoder()

/** One of the statuses above; a counter of another driver's making may hold any number. */
export const read = (counters: CountersReader, statusId: number): number =>
  statusId === NO_STATUS_ID ? ACTIVE : Number(counters.value(statusId))

/** `host:port` of each socket of the channel that is open. Empty for IPC, and while the channel is not active. */
export const localAddresses = (counters: CountersReader, statusId: number): ReadonlyArray<string> => {
  const addresses: Array<string> = []
  if (statusId === NO_STATUS_ID || read(counters, statusId) !== ACTIVE) {
    return addresses
  }
  counters.forEach(({ key, typeId, value }) => {
    const view = new DataView(key.buffer, key.byteOffset, key.byteLength)
    if (
      typeId === LOCAL_ADDRESS_TYPE_ID &&
      view.getInt32(CHANNEL_STATUS_ID_OFFSET, true) === statusId &&
      value === BigInt(ACTIVE)
    ) {
      const length = Math.min(Math.max(view.getInt32(TEXT_LENGTH_OFFSET, true), 0), TEXT_LENGTH_MAX)
      addresses.push(decoder.decode(key.subarray(TEXT_OFFSET, TEXT_OFFSET + length)))
    }
  })
  return addresses
}

/**
 * The channel with the port that the system chose in place of port 0 of its endpoint. Undefined while it is not known;
 * the channel itself when its endpoint names a port, or it has none.
 */
export const resolveEndpointPort = (channel: string, resolvedEndpoint: string | undefined): string | undefined => {
  const uri = ChannelUri.parse(channel)
  const endpoint = uri.get("endpoint")
  if (endpoint === undefined || !endpoint.endsWith(":0")) {
    return channel
  }
  const port = resolvedEndpoint === undefined ? undefined : SocketAddress.splitHostPort(resolvedEndpoint)?.port
  if (port === undefined || port === 0) {
    return undefined
  }
  const resolved = `${endpoint.slice(0, -1)}${port}`
  const parameters = new Map(uri.parameters).set("endpoint", resolved)
  return new ChannelUri.ChannelUri(channel, uri.isSpy, uri.media, parameters).toString()
}
