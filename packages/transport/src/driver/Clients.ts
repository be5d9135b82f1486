/** The clients of the driver. One appears with its first command and ends by its own word or by silence. */
import { ClientLiveness, type ClientLivenessListener } from "./ClientLiveness.ts"
import type { DriverContext } from "./DriverContext.ts"
import * as ManagedResource from "./ManagedResource.ts"
import * as StreamCounters from "./StreamCounters.ts"
import * as SystemCounters from "./SystemCounters.ts"

export class Clients implements ClientLivenessListener {
  private readonly context: DriverContext
  private readonly clients: Array<ClientLiveness> = []

  constructor(context: DriverContext) {
    this.context = context
  }

  find(clientId: bigint): ClientLiveness | undefined {
    return this.clients.find((client) => client.clientId === clientId)
  }

  /** A new client is told its heartbeat counter, with its client id in place of a correlation id. */
  getOrAdd(clientId: bigint): ClientLiveness {
    const known = this.find(clientId)
    if (known !== undefined) {
      return known
    }
    const { clientProxy, clock, counters, settings } = this.context
    const heartbeat = StreamCounters.clientHeartbeat(counters, clientId, clock.epochMs())
    const client = new ClientLiveness(clientId, heartbeat, settings.clientLivenessTimeoutNs, this, clock.nanoTime())
    this.clients.push(client)
    clientProxy.onCounterReady(clientId, heartbeat.id)
    return client
  }

  check(nowNs: number, nowMs: number): void {
    ManagedResource.checkAll(this.clients, nowNs, nowMs)
  }

  onClientTimeout(client: ClientLiveness): void {
    this.context.systemCounters.increment(SystemCounters.CLIENT_TIMEOUTS)
    this.context.clientProxy.onClientTimeout(client.clientId)
  }

  onClientEnd(client: ClientLiveness): void {
    this.context.clientProxy.onUnavailableCounter(client.clientId, client.heartbeat.id)
  }
}
