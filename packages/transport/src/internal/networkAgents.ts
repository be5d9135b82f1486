/**
 * The sender and the receiver on a thread that is not the conductor's: together, or each on its own. They have their own
 * mappings of everything that they share with the conductor, and let go of them when they end.
 */
import { join } from "node:path"
import type { Agent } from "@millrace/core/kernel/agent/Agent"
import type { Clock } from "@millrace/core/kernel/agent/Clock"
import * as LossReport from "@millrace/core/kernel/lossreport/LossReport"
import * as Mapping from "@millrace/core/kernel/native/Mapping"
import * as SystemCounters from "../driver/SystemCounters.ts"
import { conductorOf, networkAgent, type NetworkRole, ownResources } from "./agentLinks.ts"
import { type AgentAddress, callerOf, type OfAgents } from "./agentRing.ts"
import * as CncFile from "./cncFile.ts"
import { LOSS_REPORT_FILE } from "./driverDirectory.ts"
import { udpPort } from "./driverNetwork.ts"
import type { DriverStart } from "./driverStart.ts"

/** The conductor has started: its files are there. */
export const make = (
  start: DriverStart,
  roles: ReadonlyArray<NetworkRole>,
  addresses: OfAgents<AgentAddress>,
  clock: Clock
): Agent => {
  const { directory, settings } = start
  const cnc = CncFile.open(directory)
  if (CncFile.isAbsence(cnc)) {
    throw new Error(`the conductor's directory ${directory} is gone`)
  }
  const lossReport = Mapping.open(join(directory, LOSS_REPORT_FILE))
  const systemCounters = new SystemCounters.SystemCounters(cnc.buffers.countersValues)
  const caller = callerOf(addresses.conductor, () => systemCounters.increment(SystemCounters.CONDUCTOR_PROXY_FAILS))
  const conductor = conductorOf(caller)
  const port = udpPort(start, {
    onSendFailed: () => systemCounters.increment(SystemCounters.SHORT_SENDS),
    onDropped: () => systemCounters.increment(SystemCounters.INVALID_PACKETS),
    onError: (error) => conductor.onError(error)
  })
  const agent = networkAgent(roles, {
    settings,
    clock,
    memory: addresses,
    caller,
    systemCounters,
    resources: ownResources(cnc.buffers.countersValues, (fileName) => Mapping.open(fileName), port),
    lossReport: new LossReport.LossReport(lossReport.buffer())
  })
  return {
    ...agent,
    onClose: () => {
      agent.onClose?.()
      lossReport.close()
      cnc.region.close()
    }
  }
}
