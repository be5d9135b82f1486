/** The entry file of a driver's worker. */
import * as AgentRunner from "@millrace/core/AgentRunner"
import * as DriverAgent from "./driverAgent.ts"
import type { DriverStart } from "./driverStart.ts"

AgentRunner.workerMain<DriverStart>(({ clock, data }) => ({ agent: DriverAgent.make(data, clock) }))
