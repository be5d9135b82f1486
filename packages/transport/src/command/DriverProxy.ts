/**
 * The client's side of the to-driver ring: one method a command. Each returns the correlation id under which the
 * driver answers, or `FULL` when the ring had no room (the driver is behind or dead: try again, then give up).
 */
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import type { ManyToOneRingBuffer } from "@millrace/core/kernel/ringbuffer/ManyToOneRingBuffer"
import * as CommandType from "./CommandType.ts"
import * as CorrelatedMessage from "./CorrelatedMessage.ts"
import * as CounterMessage from "./CounterMessage.ts"
import * as DestinationByIdMessage from "./DestinationByIdMessage.ts"
import * as DestinationMessage from "./DestinationMessage.ts"
import * as NextSessionIdMessage from "./NextSessionIdMessage.ts"
import * as PublicationMessage from "./PublicationMessage.ts"
import * as RejectImage from "./RejectImage.ts"
import * as RemoveMessage from "./RemoveMessage.ts"
import * as RemovePublication from "./RemovePublication.ts"
import * as StaticCounterMessage from "./StaticCounterMessage.ts"
import * as SubscriptionMessage from "./SubscriptionMessage.ts"
import * as TerminateDriver from "./TerminateDriver.ts"

/** No correlation id is negative. */
export const FULL = -1n

/** The longest message is a channel of 4095 characters, of up to 4 bytes each, and its fixed fields. */
const SCRATCH_LENGTH = 32 * 1024

type Encoder<Message> = (buffer: AtomicBuffer, offset: number, message: Message) => number

export class DriverProxy {
  readonly clientId: bigint
  private readonly ring: ManyToOneRingBuffer
  private readonly scratch: AtomicBuffer

  constructor(ring: ManyToOneRingBuffer, clientId: bigint) {
    this.ring = ring
    this.clientId = clientId
    this.scratch = new HeapRegion("command being written", SCRATCH_LENGTH).buffer()
  }

  addPublication(channel: string, streamId: number): bigint {
    return this.send(CommandType.ADD_PUBLICATION, PublicationMessage.encode, { ...this.head(), channel, streamId })
  }

  addExclusivePublication(channel: string, streamId: number): bigint {
    const message = { ...this.head(), channel, streamId }
    return this.send(CommandType.ADD_EXCLUSIVE_PUBLICATION, PublicationMessage.encode, message)
  }

  removePublication(registrationId: bigint, revoke: boolean): bigint {
    const message = { ...this.head(), registrationId, revoke }
    return this.send(CommandType.REMOVE_PUBLICATION, RemovePublication.encode, message)
  }

  addSubscription(channel: string, streamId: number): bigint {
    return this.send(CommandType.ADD_SUBSCRIPTION, SubscriptionMessage.encode, { ...this.head(), channel, streamId })
  }

  removeSubscription(registrationId: bigint): bigint {
    return this.send(CommandType.REMOVE_SUBSCRIPTION, RemoveMessage.encode, { ...this.head(), registrationId })
  }

  addDestination(registrationId: bigint, channel: string): bigint {
    return this.send(CommandType.ADD_DESTINATION, DestinationMessage.encode, {
      ...this.head(),
      registrationId,
      channel
    })
  }

  removeDestination(registrationId: bigint, channel: string): bigint {
    const message = { ...this.head(), registrationId, channel }
    return this.send(CommandType.REMOVE_DESTINATION, DestinationMessage.encode, message)
  }

  removeDestinationById(resourceRegistrationId: bigint, destinationRegistrationId: bigint): bigint {
    const message = { ...this.head(), resourceRegistrationId, destinationRegistrationId }
    return this.send(CommandType.REMOVE_DESTINATION_BY_ID, DestinationByIdMessage.encode, message)
  }

  addReceiveDestination(registrationId: bigint, channel: string): bigint {
    const message = { ...this.head(), registrationId, channel }
    return this.send(CommandType.ADD_RCV_DESTINATION, DestinationMessage.encode, message)
  }

  removeReceiveDestination(registrationId: bigint, channel: string): bigint {
    const message = { ...this.head(), registrationId, channel }
    return this.send(CommandType.REMOVE_RCV_DESTINATION, DestinationMessage.encode, message)
  }

  addCounter(typeId: number, key: Uint8Array, label: string): bigint {
    return this.send(CommandType.ADD_COUNTER, CounterMessage.encode, { ...this.head(), typeId, key, label })
  }

  addStaticCounter(typeId: number, key: Uint8Array, label: string, registrationId: bigint): bigint {
    const message = { ...this.head(), registrationId, typeId, key, label }
    return this.send(CommandType.ADD_STATIC_COUNTER, StaticCounterMessage.encode, message)
  }

  removeCounter(registrationId: bigint): bigint {
    return this.send(CommandType.REMOVE_COUNTER, RemoveMessage.encode, { ...this.head(), registrationId })
  }

  rejectImage(imageCorrelationId: bigint, position: number, reason: string): bigint {
    const message = { ...this.head(), imageCorrelationId, position, reason }
    return this.send(CommandType.REJECT_IMAGE, RejectImage.encode, message)
  }

  nextAvailableSessionId(streamId: number): bigint {
    const message = { ...this.head(), streamId }
    return this.send(CommandType.GET_NEXT_AVAILABLE_SESSION_ID, NextSessionIdMessage.encode, message)
  }

  clientClose(): bigint {
    return this.send(CommandType.CLIENT_CLOSE, CorrelatedMessage.encode, this.head())
  }

  terminateDriver(token: Uint8Array): bigint {
    return this.send(CommandType.TERMINATE_DRIVER, TerminateDriver.encode, { ...this.head(), token })
  }

  nextCorrelationId(): bigint {
    return this.ring.nextCorrelationId()
  }

  /** When the driver was last alive, epoch ms; −1 after it ended, 0 before it began. */
  get driverHeartbeatMs(): number {
    return this.ring.consumerHeartbeatMs
  }

  private head(): CorrelatedMessage.CorrelatedMessage {
    return { clientId: this.clientId, correlationId: this.nextCorrelationId() }
  }

  private send<Message extends CorrelatedMessage.CorrelatedMessage>(
    commandType: number,
    encode: Encoder<Message>,
    message: Message
  ): bigint {
    const length = encode(this.scratch, 0, message)
    return this.ring.write(commandType, this.scratch.bytes, 0, length) ? message.correlationId : FULL
  }
}
