/**
 * The sender and the receiver on a thread that is not the conductor's: together, or each on its own. They have their own
 * mappings of everything that they share with the conductor, and let go of them when they end.
 */
import { join } from "node:path"
import type { Agent } from "@millrace/core/kernel/agent/Agent"
import type { Clock } from "@millrace/core/kernel/agent/Clock"
import { CompositeAgent } from "@millrace/core/kernel/agent/CompositeAgent"
import { AtomicCounter } from "@millrace/core/kernel/counters/AtomicCounter"
import { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import * as LossReport from "@millrace/core/kernel/lossreport/LossReport"
import * as Mapping from "@millrace/core/kernel/native/Mapping"
import type { AgentResources } from "../driver/AgentResources.ts"
import { CONDUCTOR_COMMANDS, type ConductorCommands } from "../driver/ConductorCommands.ts"
import { Receiver } from "../driver/Receiver.ts"
import { RECEIVER_COMMANDS } from "../driver/ReceiverCommands.ts"
import { Sender } from "../driver/Sender.ts"
import { SENDER_COMMANDS } from "../driver/SenderCommands.ts"
import * as SystemCounters from "../driver/SystemCounters.ts"
import { type AgentAddress, AgentCaller, AgentCalls } from "./agentRing.ts"
import * as CncFile from "./cncFile.ts"
import { LOSS_REPORT_FILE } from "./driverDirectory.ts"
import { udpPort } from "./driverNetwork.ts"
import type { DriverStart } from "./driverStart.ts"

export type NetworkRole = "sender" | "receiver"

export interface AgentAddresses {
  readonly conductor: AgentAddress
  readonly sender: AgentAddress
  readonly receiver: AgentAddress
}

/** An agent whose calls come from a ring. */
interface CalledAgent {
  readonly agent: Agent
  readonly poll: () => number
}

/** What an agent of this thread is made of. */
interface NetworkWorld {
  readonly start: DriverStart
  readonly clock: Clock
  readonly addresses: AgentAddresses
  readonly systemCounters: SystemCounters.SystemCounters
  readonly resources: AgentResources
  readonly lossReport: LossReport.LossReport
  readonly conductor: ConductorCommands
}

/** The conductor has started: its files are there. */
export const make = (
  start: DriverStart,
  roles: ReadonlyArray<NetworkRole>,
  addresses: AgentAddresses,
  clock: Clock
): Agent => {
  const { directory } = start
  const cnc = CncFile.open(directory)
  if (CncFile.isAbsence(cnc)) {
    throw new Error(`the conductor's directory ${directory} is gone`)
  }
  const lossReport = Mapping.open(join(directory, LOSS_REPORT_FILE))
  const systemCounters = new SystemCounters.SystemCounters(cnc.buffers.countersValues)
  const caller = new AgentCaller(addresses.conductor, () =>
    systemCounters.increment(SystemCounters.CONDUCTOR_PROXY_FAILS)
  )
  const conductor = caller.proxy<ConductorCommands>(CONDUCTOR_COMMANDS)
  const port = udpPort(start, {
    onSendFailed: () => systemCounters.increment(SystemCounters.SHORT_SENDS),
    onDropped: () => systemCounters.increment(SystemCounters.INVALID_PACKETS),
    onError: (error) => conductor.onError(error)
  })
  const world: NetworkWorld = {
    start,
    clock,
    addresses,
    systemCounters,
    resources: {
      counter: (id) => new AtomicCounter(cnc.buffers.countersValues, id),
      openLog,
      closeLog: ({ region }) => region.close(),
      openSocket: (_endpointId, handle) => port.adopt!(handle!)
    },
    lossReport: new LossReport.LossReport(lossReport.buffer()),
    conductor
  }
  const called = roles.map((role) => (role === "sender" ? makeSender(world) : makeReceiver(world)))
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
      lossReport.close()
      cnc.region.close()
    }
  }
}

const openLog = (fileName: string): LogBuffers => {
  const region = Mapping.open(fileName)
  try {
    return new LogBuffers(region)
  } catch (error) {
    region.close()
    throw error
  }
}

const makeSender = ({ addresses, conductor, resources, start, systemCounters }: NetworkWorld): CalledAgent => {
  const { resolutionCheckIntervalNs, senderCycleThresholdNs, sendsPerPoll } = start.settings
  const cycleThresholdNs = senderCycleThresholdNs
  const options = { systemCounters, resources, conductor, cycleThresholdNs, sendsPerPoll, resolutionCheckIntervalNs }
  const agent = new Sender(options)
  const calls = new AgentCalls(addresses.sender, SENDER_COMMANDS, (error) => conductor.onError(error))
  return { agent, poll: () => calls.poll(agent) }
}

const makeReceiver = (world: NetworkWorld): CalledAgent => {
  const { addresses, clock, conductor, lossReport, resources, start, systemCounters } = world
  const { receiverCycleThresholdNs: cycleThresholdNs, streamSessionLimit: sessionLimit } = start.settings
  const epochMs = (): number => clock.epochMs()
  const options = { systemCounters, resources, conductor, cycleThresholdNs, sessionLimit, lossReport, epochMs }
  const agent = new Receiver(options)
  const calls = new AgentCalls(addresses.receiver, RECEIVER_COMMANDS, (error) => conductor.onError(error))
  return { agent, poll: () => calls.poll(agent) }
}
