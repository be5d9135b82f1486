/** The entry file of a driver's workers. */
import * as AgentRunner from "@millrace/core/AgentRunner"
import type { NetworkRole } from "./agentLinks.ts"
import * as DriverAgent from "./driverAgent.ts"
import type { DriverStart } from "./driverStart.ts"
import * as NetworkAgents from "./networkAgents.ts"

export interface DriverWorkerData {
  readonly start: DriverStart
  /** Empty = the conductor, with the network's agents unless these have threads of their own. */
  readonly roles: ReadonlyArray<NetworkRole>
}

AgentRunner.workerMain<DriverWorkerData>(({ clock, data: { roles, start } }) => ({
  agent: roles.length === 0 ? DriverAgent.make(start, clock) : NetworkAgents.make(start, roles, start.addresses!, clock)
}))
