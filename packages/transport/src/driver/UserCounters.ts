/** Counters that clients add and remove. */
import * as CountersDescriptor from "@millrace/core/kernel/counters/CountersDescriptor"
import type { CounterMessage } from "../command/CounterMessage.ts"
import * as ErrorCode from "../command/ErrorCode.ts"
import type { RemoveMessage } from "../command/RemoveMessage.ts"
import type { StaticCounterMessage } from "../command/StaticCounterMessage.ts"
import type { Clients } from "./Clients.ts"
import { ControlProtocolError } from "./ControlProtocolError.ts"
import { CounterLink } from "./CounterLink.ts"
import type { DriverContext } from "./DriverContext.ts"
import * as ManagedResource from "./ManagedResource.ts"
import * as StreamCounters from "./StreamCounters.ts"

/** A static counter belongs to nobody. */
const OWNER_NONE = -1n

export class UserCounters {
  private readonly context: DriverContext
  private readonly clients: Clients
  private readonly links: Array<CounterLink> = []

  constructor(context: DriverContext, clients: Clients) {
    this.context = context
    this.clients = clients
  }

  add(command: CounterMessage): void {
    const { clientProxy, counters } = this.context
    const client = this.clients.getOrAdd(command.clientId)
    const counter = StreamCounters.allocate(counters, {
      typeId: command.typeId,
      key: command.key,
      label: command.label,
      registrationId: command.correlationId,
      ownerId: command.clientId
    })
    this.links.push(new CounterLink(command.correlationId, client, counter, clientProxy))
    clientProxy.onCounterReady(command.correlationId, counter.id)
  }

  addStatic(command: StaticCounterMessage): void {
    const { clientProxy, counters } = this.context
    this.clients.getOrAdd(command.clientId)
    const existingId = counters.findByTypeIdAndRegistrationId(command.typeId, command.registrationId)
    if (existingId === CountersDescriptor.NULL_COUNTER_ID) {
      const counter = StreamCounters.allocate(counters, {
        typeId: command.typeId,
        key: command.key,
        label: command.label,
        registrationId: command.registrationId,
        ownerId: OWNER_NONE
      })
      clientProxy.onStaticCounter(command.correlationId, counter.id)
    } else if (counters.ownerId(existingId) === OWNER_NONE) {
      clientProxy.onStaticCounter(command.correlationId, existingId)
    } else {
      // Between two clients, as in Aeron's driver: its error log is not told.
      clientProxy.onError(
        command.correlationId,
        ErrorCode.GENERIC_ERROR,
        "cannot add static counter, because a non-static counter exists " +
          `(counterId=${existingId}) for typeId=${command.typeId} and registrationId=${command.registrationId}`
      )
    }
  }

  remove(command: RemoveMessage): void {
    const index = this.links.findIndex((link) => link.registrationId === command.registrationId)
    if (index === -1) {
      throw new ControlProtocolError(ErrorCode.UNKNOWN_COUNTER, `unknown counter: ${command.registrationId}`)
    }
    const [link] = this.links.splice(index, 1)
    this.context.clientProxy.onOperationSuccess(command.correlationId)
    link!.close()
  }

  check(nowNs: number, nowMs: number): void {
    ManagedResource.checkAll(this.links, nowNs, nowMs)
  }
}
