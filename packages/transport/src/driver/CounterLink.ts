/** A counter that a client asked for. It goes away with its client, unless it is static. */
import type { ClientProxy } from "../command/ClientProxy.ts"
import type { ClientLiveness } from "./ClientLiveness.ts"
import type { ManagedResource } from "./ManagedResource.ts"
import type { PositionCounter } from "./PositionCounter.ts"

export class CounterLink implements ManagedResource {
  readonly registrationId: bigint
  readonly client: ClientLiveness
  readonly counter: PositionCounter
  private readonly clientProxy: ClientProxy

  constructor(registrationId: bigint, client: ClientLiveness, counter: PositionCounter, clientProxy: ClientProxy) {
    this.registrationId = registrationId
    this.client = client
    this.counter = counter
    this.clientProxy = clientProxy
  }

  get hasReachedEndOfLife(): boolean {
    return this.client.hasReachedEndOfLife
  }

  onTimeEvent(): void {}

  /** Clients hear of it before the record can be used again. */
  close(): void {
    this.clientProxy.onUnavailableCounter(this.registrationId, this.counter.id)
    this.counter.close()
  }
}
