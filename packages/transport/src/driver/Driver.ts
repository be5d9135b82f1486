/** The driver as one agent: conductor, sender and receiver in one duty cycle, unless these two have their own threads. */
import type { Agent } from "@millrace/core/kernel/agent/Agent"
import { CompositeAgent } from "@millrace/core/kernel/agent/CompositeAgent"
import { Conductor } from "./Conductor.ts"
import type { DriverContext } from "./DriverContext.ts"

export const make = (context: DriverContext): Agent => {
  const conductor = new Conductor(context)
  const agents = conductor.network?.agents ?? []
  return agents.length === 0 ? conductor : new CompositeAgent([conductor, ...agents])
}
