/**
 * The driver's agents where they have threads of their own: how the conductor calls the sender and the receiver, and they
 * the conductor, whatever their threads are and wherever the memory between them lies.
 */
import type { Agent } from "@millrace/core/kernel/agent/Agent"
import type { Clock } from "@millrace/core/kernel/agent/Clock"
import { CompositeAgent } from "@millrace/core/kernel/agent/CompositeAgent"
import { AtomicCounter } from "@millrace/core/kernel/counters/AtomicCounter"
import { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import type { LossReport } from "@millrace/core/kernel/lossreport/LossReport"
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import type { Region } from "@millrace/core/kernel/memory/Region"
import type { AgentResources } from "../driver/AgentResources.ts"
import { CONDUCTOR_COMMANDS, type ConductorCommands } from "../driver/ConductorCommands.ts"
import type { RemoteAgents } from "../driver/DriverContext.ts"
import type { DriverSettings } from "../driver/DriverSettings.ts"
import { Receiver } from "../driver/Receiver.ts"
import { RECEIVER_COMMANDS, type ReceiverCommands } from "../driver/ReceiverCommands.ts"
import { Sender } from "../driver/Sender.ts"
import { SENDER_COMMANDS, type SenderCommands } from "../driver/SenderCommands.ts"
import type { SystemCounters } from "../driver/SystemCounters.ts"
import type { UdpPort } from "../media/UdpPort.ts"
import { type AgentCaller, AgentCalls, type AgentMemory, type OfAgents } from "./agentRing.ts"

export type NetworkRole = "sender" | "receiver"

/** The conductor's side. */
export const remoteAgents = (conductor: AgentMemory, sender: AgentCaller, receiver: AgentCaller): RemoteAgents => {
  let calls: AgentCalls<ConductorCommands> | undefined
  return {
    sender: sender.proxy<SenderCommands>(SENDER_COMMANDS),
    receiver: receiver.proxy<ReceiverCommands>(RECEIVER_COMMANDS),
    poll: (target) => {
      calls ??= new AgentCalls(conductor, CONDUCTOR_COMMANDS, (error) => target.onError(error))
      return sender.flush() + receiver.flush() + calls.poll(target)
    }
  }
}

export const conductorOf = (caller: AgentCaller): ConductorCommands =>
  caller.proxy<ConductorCommands>(CONDUCTOR_COMMANDS)

/** Mappings and sockets of an agent's own, over what the conductor made. */
export const ownResources = (
  countersValues: AtomicBuffer,
  map: (fileName: string) => Region,
  udp: UdpPort
): AgentResources => ({
  counter: (id) => new AtomicCounter(countersValues, id),
  openLog: (fileName) => {
    const region = map(fileName)
    try {
      return new LogBuffers(region)
    } catch (error) {
      region.close()
      throw error
    }
  },
  closeLog: ({ region }) => region.close(),
  openSocket: (_endpointId, handle) => udp.adopt!(handle!)
})

/** What the network's agents of a thread are made of. */
export interface NetworkWorld {
  readonly settings: DriverSettings
  readonly clock: Clock
  readonly memory: OfAgents<AgentMemory>
  readonly caller: AgentCaller
  readonly systemCounters: SystemCounters
  readonly resources: AgentResources
  readonly lossReport: LossReport
}

/** An agent whose calls come from a ring. */
interface CalledAgent {
  readonly agent: Agent
  readonly poll: () => number
}

/** The network's side: the agents of one thread. The conductor is told when they have ended. */
export const networkAgent = (roles: ReadonlyArray<NetworkRole>, world: NetworkWorld): Agent => {
  const { caller } = world
  const conductor = conductorOf(caller)
  const called = roles.map((role) =>
    role === "sender" ? makeSender(world, conductor) : makeReceiver(world, conductor)
  )
  const agent = new CompositeAgent(called.map((one) => one.agent))
  return {
    roleName: agent.roleName,
    onStart: (nowNs) => agent.onStart(nowNs),
    doWork: (nowNs) => {
      let workCount = caller.flush()
      for (const { poll } of called) {
        workCount += poll()
      }
      return workCount + agent.doWork(nowNs)
    },
    descriptors: () => agent.descriptors(),
    onClose: () => {
      agent.onClose()
      for (const role of roles) {
        conductor.onTerminated(role)
      }
    }
  }
}

const makeSender = (
  { clock, memory, resources, settings, systemCounters }: NetworkWorld,
  conductor: ConductorCommands
): CalledAgent => {
  const { resolutionCheckIntervalNs, senderCycleThresholdNs: cycleThresholdNs, sendsPerPoll } = settings
  const shared = { clock, systemCounters, resources, conductor, cycleThresholdNs }
  const agent = new Sender({ ...shared, sendsPerPoll, resolutionCheckIntervalNs })
  const calls = new AgentCalls(memory.sender, SENDER_COMMANDS, (error) => conductor.onError(error))
  return { agent, poll: () => calls.poll(agent) }
}

const makeReceiver = (
  { clock, lossReport, memory, resources, settings, systemCounters }: NetworkWorld,
  conductor: ConductorCommands
): CalledAgent => {
  const { receiverCycleThresholdNs: cycleThresholdNs, streamSessionLimit: sessionLimit } = settings
  const shared = { clock, systemCounters, resources, conductor, cycleThresholdNs }
  const agent = new Receiver({ ...shared, sessionLimit, lossReport })
  const calls = new AgentCalls(memory.receiver, RECEIVER_COMMANDS, (error) => conductor.onError(error))
  return { agent, poll: () => calls.poll(agent) }
}
