/** The whole driver as one agent: conductor, sender and receiver in one duty cycle. */
import type { Agent } from "@millrace/core/kernel/agent/Agent"
import { CompositeAgent } from "@millrace/core/kernel/agent/CompositeAgent"
import { Conductor } from "./Conductor.ts"
import type { DriverContext } from "./DriverContext.ts"

export const make = (context: DriverContext): Agent => {
  const conductor = new Conductor(context)
  return conductor.network === undefined
    ? conductor
    : new CompositeAgent([conductor, conductor.network.sender, conductor.network.receiver])
}
