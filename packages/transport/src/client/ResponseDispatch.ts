/** Decodes one response of the driver and hands it on. A type that this client does not know is counted, not refused. */
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import * as CommandType from "../command/CommandType.ts"
import * as CounterUpdate from "../command/CounterUpdate.ts"
import * as ErrorResponse from "../command/ErrorResponse.ts"
import * as ImageBuffersReady from "../command/ImageBuffersReady.ts"
import * as ImageMessage from "../command/ImageMessage.ts"
import * as NextSessionId from "../command/NextSessionId.ts"
import * as OperationSucceeded from "../command/OperationSucceeded.ts"
import * as PublicationBuffersReady from "../command/PublicationBuffersReady.ts"
import * as PublicationError from "../command/PublicationError.ts"

export interface ResponseListener {
  onError(response: ErrorResponse.ErrorResponse): void
  onAvailableImage(response: ImageBuffersReady.ImageBuffersReady): void
  onUnavailableImage(response: ImageMessage.ImageMessage): void
  onPublicationReady(response: PublicationBuffersReady.PublicationBuffersReady, isExclusive: boolean): void
  onPublicationError(response: PublicationError.PublicationError): void
  onOperationSuccess(correlationId: bigint): void
  onSubscriptionReady(response: CounterUpdate.CounterUpdate): void
  onCounterReady(response: CounterUpdate.CounterUpdate): void
  onUnavailableCounter(response: CounterUpdate.CounterUpdate): void
  onStaticCounter(response: CounterUpdate.CounterUpdate): void
  onClientTimeout(clientId: bigint): void
  onNextAvailableSessionId(response: NextSessionId.NextSessionId): void
  onUnknownResponse(typeId: number): void
}

type Route = (listener: ResponseListener, buffer: AtomicBuffer, offset: number, length: number) => void

const routes: ReadonlyMap<number, Route> = new Map<number, Route>([
  [CommandType.ON_ERROR, (to, ...at) => to.onError(ErrorResponse.decode(...at))],
  [CommandType.ON_AVAILABLE_IMAGE, (to, ...at) => to.onAvailableImage(ImageBuffersReady.decode(...at))],
  [CommandType.ON_UNAVAILABLE_IMAGE, (to, ...at) => to.onUnavailableImage(ImageMessage.decode(...at))],
  [
    CommandType.ON_PUBLICATION_READY,
    (to, ...at) => to.onPublicationReady(PublicationBuffersReady.decode(...at), false)
  ],
  [
    CommandType.ON_EXCLUSIVE_PUBLICATION_READY,
    (to, ...at) => to.onPublicationReady(PublicationBuffersReady.decode(...at), true)
  ],
  [CommandType.ON_PUBLICATION_ERROR, (to, ...at) => to.onPublicationError(PublicationError.decode(...at))],
  [CommandType.ON_OPERATION_SUCCESS, (to, ...at) => to.onOperationSuccess(OperationSucceeded.decode(...at))],
  [CommandType.ON_SUBSCRIPTION_READY, (to, ...at) => to.onSubscriptionReady(CounterUpdate.decode(...at))],
  [CommandType.ON_COUNTER_READY, (to, ...at) => to.onCounterReady(CounterUpdate.decode(...at))],
  [CommandType.ON_UNAVAILABLE_COUNTER, (to, ...at) => to.onUnavailableCounter(CounterUpdate.decode(...at))],
  [CommandType.ON_STATIC_COUNTER, (to, ...at) => to.onStaticCounter(CounterUpdate.decode(...at))],
  [CommandType.ON_CLIENT_TIMEOUT, (to, ...at) => to.onClientTimeout(OperationSucceeded.decode(...at))],
  [CommandType.ON_NEXT_AVAILABLE_SESSION_ID, (to, ...at) => to.onNextAvailableSessionId(NextSessionId.decode(...at))]
])

export const dispatch = (
  listener: ResponseListener,
  typeId: number,
  buffer: AtomicBuffer,
  offset: number,
  length: number
): void => {
  const route = routes.get(typeId)
  if (route === undefined) {
    listener.onUnknownResponse(typeId)
  } else {
    route(listener, buffer, offset, length)
  }
}
