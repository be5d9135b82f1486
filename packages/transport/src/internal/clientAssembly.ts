/** A client's conductor over the CnC file of its driver, wherever that lies. */
import { BroadcastReceiver } from "@millrace/core/kernel/broadcast/BroadcastReceiver"
import { CopyBroadcastReceiver } from "@millrace/core/kernel/broadcast/CopyBroadcastReceiver"
import type { Clock } from "@millrace/core/kernel/agent/Clock"
import { CountersReader } from "@millrace/core/kernel/counters/CountersReader"
import { ManyToOneRingBuffer } from "@millrace/core/kernel/ringbuffer/ManyToOneRingBuffer"
import { ClientConductor } from "../client/ClientConductor.ts"
import { ClientHeartbeat } from "../client/ClientHeartbeat.ts"
import type { ClientListener } from "../client/ClientListener.ts"
import type { ClientSettings } from "../client/ClientSettings.ts"
import { type LogMapper, SharedLogs } from "../client/SharedLogs.ts"
import type { CncBuffers, CncHeader } from "../command/CncDescriptor.ts"
import { DriverProxy } from "../command/DriverProxy.ts"
import { VERSION } from "./version.ts"

/** What a client is told once. */
export interface ClientTimes {
  readonly driverTimeoutMs: number
  readonly keepaliveIntervalMs: number
  readonly resourceLingerMs: number
  readonly clientName: string
}

/** The world of a client. */
export interface ClientWorld {
  readonly clock: Clock
  readonly map: LogMapper
  /** Whether another driver than the one of the CnC file has its place. */
  readonly isDriverReplaced: () => boolean
}

export const assemble = (
  cnc: { readonly buffers: CncBuffers; readonly header: CncHeader },
  options: ClientTimes,
  listener: ClientListener,
  world: ClientWorld
): { readonly conductor: ClientConductor; readonly counters: CountersReader } => {
  const { buffers, header } = cnc
  const settings: ClientSettings = {
    driverTimeoutNs: options.driverTimeoutMs * 1e6,
    keepaliveIntervalNs: options.keepaliveIntervalMs * 1e6,
    resourceLingerNs: options.resourceLingerMs * 1e6,
    interServiceTimeoutNs: header.clientLivenessTimeoutNs,
    clientName: options.clientName
  }
  const ring = new ManyToOneRingBuffer(buffers.toDriver)
  const driver = new DriverProxy(ring, ring.nextCorrelationId())
  const counters = new CountersReader(buffers.countersMetadata, buffers.countersValues)
  const label = ` name=${options.clientName} version=${VERSION} commit=millrace`
  const conductor = new ClientConductor(
    {
      settings,
      clock: world.clock,
      driver,
      responses: new CopyBroadcastReceiver(new BroadcastReceiver(buffers.toClients)),
      counters,
      heartbeat: new ClientHeartbeat(counters, driver.clientId, label),
      logs: new SharedLogs(world.map, settings.resourceLingerNs),
      isDriverReplaced: world.isDriverReplaced
    },
    listener
  )
  return { conductor, counters }
}
