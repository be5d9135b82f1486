/** Reads one command out of the to-driver ring and hands it, decoded and checked, to the conductor. */
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import * as CommandType from "../command/CommandType.ts"
import * as CorrelatedMessage from "../command/CorrelatedMessage.ts"
import * as CounterMessage from "../command/CounterMessage.ts"
import * as DestinationByIdMessage from "../command/DestinationByIdMessage.ts"
import * as DestinationMessage from "../command/DestinationMessage.ts"
import * as ErrorCode from "../command/ErrorCode.ts"
import * as NextSessionIdMessage from "../command/NextSessionIdMessage.ts"
import * as PublicationMessage from "../command/PublicationMessage.ts"
import * as RejectImage from "../command/RejectImage.ts"
import * as RemoveMessage from "../command/RemoveMessage.ts"
import * as RemovePublication from "../command/RemovePublication.ts"
import * as StaticCounterMessage from "../command/StaticCounterMessage.ts"
import * as SubscriptionMessage from "../command/SubscriptionMessage.ts"
import * as TerminateDriver from "../command/TerminateDriver.ts"
import { ControlProtocolError } from "./ControlProtocolError.ts"

/** What the conductor does upon each command. Any of these may throw what refuses the command. */
export interface CommandListener {
  onAddPublication(command: PublicationMessage.PublicationMessage, isExclusive: boolean): void
  onRemovePublication(command: RemovePublication.RemovePublication): void
  onAddSubscription(command: SubscriptionMessage.SubscriptionMessage): void
  onRemoveSubscription(command: RemoveMessage.RemoveMessage): void
  onAddDestination(command: DestinationMessage.DestinationMessage): void
  onRemoveDestination(command: DestinationMessage.DestinationMessage): void
  onRemoveDestinationById(command: DestinationByIdMessage.DestinationByIdMessage): void
  onAddReceiveDestination(command: DestinationMessage.DestinationMessage): void
  onRemoveReceiveDestination(command: DestinationMessage.DestinationMessage): void
  onAddCounter(command: CounterMessage.CounterMessage): void
  onAddStaticCounter(command: StaticCounterMessage.StaticCounterMessage): void
  onRemoveCounter(command: RemoveMessage.RemoveMessage): void
  onClientKeepalive(command: CorrelatedMessage.CorrelatedMessage): void
  onClientClose(command: CorrelatedMessage.CorrelatedMessage): void
  onRejectImage(command: RejectImage.RejectImage): void
  onNextAvailableSessionId(command: NextSessionIdMessage.NextSessionIdMessage): void
  onTerminateDriver(command: TerminateDriver.TerminateDriver): void
  /** `correlationId` is −1 when the command was too short to hold one. */
  onCommandFailure(correlationId: bigint, error: unknown): void
}

const NO_CORRELATION_ID = -1n

type Route = (listener: CommandListener, buffer: AtomicBuffer, offset: number, length: number) => void

const routes: ReadonlyMap<number, Route> = new Map<number, Route>([
  [CommandType.ADD_PUBLICATION, (to, ...at) => to.onAddPublication(PublicationMessage.decode(...at), false)],
  [CommandType.ADD_EXCLUSIVE_PUBLICATION, (to, ...at) => to.onAddPublication(PublicationMessage.decode(...at), true)],
  [CommandType.REMOVE_PUBLICATION, (to, ...at) => to.onRemovePublication(RemovePublication.decode(...at))],
  [CommandType.ADD_SUBSCRIPTION, (to, ...at) => to.onAddSubscription(SubscriptionMessage.decode(...at))],
  [CommandType.REMOVE_SUBSCRIPTION, (to, ...at) => to.onRemoveSubscription(RemoveMessage.decode(...at))],
  [CommandType.ADD_DESTINATION, (to, ...at) => to.onAddDestination(DestinationMessage.decode(...at))],
  [CommandType.REMOVE_DESTINATION, (to, ...at) => to.onRemoveDestination(DestinationMessage.decode(...at))],
  [
    CommandType.REMOVE_DESTINATION_BY_ID,
    (to, ...at) => to.onRemoveDestinationById(DestinationByIdMessage.decode(...at))
  ],
  [CommandType.ADD_RCV_DESTINATION, (to, ...at) => to.onAddReceiveDestination(DestinationMessage.decode(...at))],
  [CommandType.REMOVE_RCV_DESTINATION, (to, ...at) => to.onRemoveReceiveDestination(DestinationMessage.decode(...at))],
  [CommandType.ADD_COUNTER, (to, ...at) => to.onAddCounter(CounterMessage.decode(...at))],
  [CommandType.ADD_STATIC_COUNTER, (to, ...at) => to.onAddStaticCounter(StaticCounterMessage.decode(...at))],
  [CommandType.REMOVE_COUNTER, (to, ...at) => to.onRemoveCounter(RemoveMessage.decode(...at))],
  [CommandType.CLIENT_KEEPALIVE, (to, ...at) => to.onClientKeepalive(CorrelatedMessage.decode(...at))],
  [CommandType.CLIENT_CLOSE, (to, ...at) => to.onClientClose(CorrelatedMessage.decode(...at))],
  [CommandType.REJECT_IMAGE, (to, ...at) => to.onRejectImage(RejectImage.decode(...at))],
  [
    CommandType.GET_NEXT_AVAILABLE_SESSION_ID,
    (to, ...at) => to.onNextAvailableSessionId(NextSessionIdMessage.decode(...at))
  ],
  [CommandType.TERMINATE_DRIVER, (to, ...at) => to.onTerminateDriver(TerminateDriver.decode(...at))]
])

/** Never throws: what goes wrong with one client's command is that client's. */
export const dispatch = (
  listener: CommandListener,
  typeId: number,
  buffer: AtomicBuffer,
  offset: number,
  length: number
): void => {
  const correlationId =
    length >= CorrelatedMessage.LENGTH ? CorrelatedMessage.correlationId(buffer, offset) : NO_CORRELATION_ID
  const route = routes.get(typeId)
  try {
    if (route === undefined) {
      throw new ControlProtocolError(ErrorCode.UNKNOWN_COMMAND_TYPE_ID, `unknown command typeId=${typeId}`)
    }
    route(listener, buffer, offset, length)
  } catch (error) {
    listener.onCommandFailure(correlationId, error)
  }
}
