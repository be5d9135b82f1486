/**
 * The counters of an endpoint: its channel's status and the address it is bound to.
 *
 * Key of a channel status: length i32 at 0, then the URI, cut to 108 bytes. Key of a local address: id i32 of the
 * channel status at 0, length i32 at 4, then the text.
 */
import type { CountersManager } from "@millrace/core/kernel/counters/CountersManager"
import * as CountersDescriptor from "@millrace/core/kernel/counters/CountersDescriptor"
import { StatusIndicator } from "@millrace/core/kernel/counters/StatusIndicator"
import * as StreamCounters from "../driver/StreamCounters.ts"
import type { PositionCounter } from "../driver/PositionCounter.ts"

const ACTIVE = 1
const CLOSING = 2

export interface EndpointKind {
  readonly channelTypeId: number
  readonly channelName: string
  readonly addressName: string
  /** Ids of the endpoints of this kind begin here and have every other number. */
  readonly firstEndpointId: number
}

export const SEND: EndpointKind = {
  channelTypeId: 6,
  channelName: "snd-channel",
  addressName: "snd-local-sockaddr",
  firstEndpointId: 0
}
export const RECEIVE: EndpointKind = {
  channelTypeId: 7,
  channelName: "rcv-channel",
  addressName: "rcv-local-sockaddr",
  firstEndpointId: 1
}

const LOCAL_ADDRESS_TYPE_ID = 14
const URI_LENGTH_MAX = 108
/** Belongs to no client: several may share the endpoint. */
const OWNER_NONE = 0n

const encoder = new TextEncoder()

const uriKey = (channel: string): Uint8Array => {
  const key = new Uint8Array(CountersDescriptor.KEY_LENGTH_MAX)
  const { written } = encoder.encodeInto(channel, key.subarray(4, 4 + URI_LENGTH_MAX))
  new DataView(key.buffer).setInt32(0, written, true)
  return key
}

const addressKey = (channelStatusId: number, text: string): Uint8Array => {
  const key = new Uint8Array(CountersDescriptor.KEY_LENGTH_MAX)
  const view = new DataView(key.buffer)
  const { written } = encoder.encodeInto(text, key.subarray(8))
  view.setInt32(0, channelStatusId, true)
  view.setInt32(4, written, true)
  return key
}

export class EndpointStatus {
  private readonly counters: CountersManager
  private readonly kind: EndpointKind
  private readonly registrationId: bigint
  private readonly channelCounter: PositionCounter
  private readonly indicator: StatusIndicator
  private addressCounter: PositionCounter | undefined = undefined

  constructor(counters: CountersManager, kind: EndpointKind, registrationId: bigint, channel: string) {
    this.counters = counters
    this.kind = kind
    this.registrationId = registrationId
    this.channelCounter = StreamCounters.allocate(counters, {
      typeId: kind.channelTypeId,
      key: uriKey(channel),
      label: `${kind.channelName}: ${channel}`,
      registrationId,
      ownerId: OWNER_NONE
    })
    this.indicator = new StatusIndicator(counters.values, this.channelCounter.id)
  }

  /** Clients look the status up by it. */
  get counterId(): number {
    return this.channelCounter.id
  }

  /** The socket is bound: the address joins the label, and gets a counter of its own. */
  onActive(localAddress: string): void {
    this.addressCounter = StreamCounters.allocate(this.counters, {
      typeId: LOCAL_ADDRESS_TYPE_ID,
      key: addressKey(this.counterId, localAddress),
      label: `${this.kind.addressName}: ${this.counterId} ${localAddress}`,
      value: BigInt(ACTIVE),
      registrationId: this.registrationId,
      ownerId: OWNER_NONE
    })
    this.counters.appendToLabel(this.counterId, ` ${localAddress}`)
    this.indicator.setRelease(ACTIVE)
  }

  onClosing(): void {
    this.indicator.setRelease(CLOSING)
  }

  close(): void {
    this.channelCounter.close()
    this.addressCounter?.close()
  }
}
