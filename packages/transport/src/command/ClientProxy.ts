/** The driver's side of the to-clients broadcast: one method a response. Every client sees each; ids say whose it is. */
import type { BroadcastTransmitter } from "@millrace/core/kernel/broadcast/BroadcastTransmitter"
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import * as CommandType from "./CommandType.ts"
import * as CounterUpdate from "./CounterUpdate.ts"
import * as ErrorResponse from "./ErrorResponse.ts"
import * as ImageBuffersReady from "./ImageBuffersReady.ts"
import * as ImageMessage from "./ImageMessage.ts"
import * as NextSessionId from "./NextSessionId.ts"
import * as OperationSucceeded from "./OperationSucceeded.ts"
import * as PublicationBuffersReady from "./PublicationBuffersReady.ts"
import * as PublicationError from "./PublicationError.ts"

const SCRATCH_LENGTH = 64 * 1024
/** Error texts repeat what a peer sent, so they are cut well below the broadcast buffer's longest message. */
const ERROR_MESSAGE_LENGTH_MAX = 8 * 1024

type Encoder<Response> = (buffer: AtomicBuffer, offset: number, response: Response) => number

export class ClientProxy {
  private readonly transmitter: BroadcastTransmitter
  private readonly scratch: AtomicBuffer

  constructor(transmitter: BroadcastTransmitter) {
    this.transmitter = transmitter
    this.scratch = new HeapRegion("response being written", SCRATCH_LENGTH).buffer()
  }

  onError(offendingCorrelationId: bigint, code: number, text: string): void {
    const message = text.slice(0, ERROR_MESSAGE_LENGTH_MAX)
    this.transmit(CommandType.ON_ERROR, ErrorResponse.encode, { offendingCorrelationId, code, message })
  }

  onAvailableImage(response: ImageBuffersReady.ImageBuffersReady): void {
    this.transmit(CommandType.ON_AVAILABLE_IMAGE, ImageBuffersReady.encode, response)
  }

  onUnavailableImage(response: ImageMessage.ImageMessage): void {
    this.transmit(CommandType.ON_UNAVAILABLE_IMAGE, ImageMessage.encode, response)
  }

  onPublicationReady(response: PublicationBuffersReady.PublicationBuffersReady, isExclusive: boolean): void {
    const type = isExclusive ? CommandType.ON_EXCLUSIVE_PUBLICATION_READY : CommandType.ON_PUBLICATION_READY
    this.transmit(type, PublicationBuffersReady.encode, response)
  }

  onPublicationError(response: PublicationError.PublicationError): void {
    this.transmit(CommandType.ON_PUBLICATION_ERROR, PublicationError.encode, response)
  }

  onSubscriptionReady(correlationId: bigint, channelStatusId: number): void {
    const response = { correlationId, counterId: channelStatusId }
    this.transmit(CommandType.ON_SUBSCRIPTION_READY, CounterUpdate.encode, response)
  }

  onOperationSuccess(correlationId: bigint): void {
    this.transmit(CommandType.ON_OPERATION_SUCCESS, OperationSucceeded.encode, correlationId)
  }

  onCounterReady(correlationId: bigint, counterId: number): void {
    this.transmit(CommandType.ON_COUNTER_READY, CounterUpdate.encode, { correlationId, counterId })
  }

  onUnavailableCounter(registrationId: bigint, counterId: number): void {
    this.transmit(CommandType.ON_UNAVAILABLE_COUNTER, CounterUpdate.encode, {
      correlationId: registrationId,
      counterId
    })
  }

  onStaticCounter(correlationId: bigint, counterId: number): void {
    this.transmit(CommandType.ON_STATIC_COUNTER, CounterUpdate.encode, { correlationId, counterId })
  }

  onClientTimeout(clientId: bigint): void {
    this.transmit(CommandType.ON_CLIENT_TIMEOUT, OperationSucceeded.encode, clientId)
  }

  onNextAvailableSessionId(correlationId: bigint, sessionId: number): void {
    this.transmit(CommandType.ON_NEXT_AVAILABLE_SESSION_ID, NextSessionId.encode, { correlationId, sessionId })
  }

  private transmit<Response>(type: number, encode: Encoder<Response>, response: Response): void {
    this.transmitter.transmit(type, this.scratch.bytes, 0, encode(this.scratch, 0, response))
  }
}
