/**
 * The whole driver and the client over simulated memory, network and time: everything of them is real but these three.
 * Nothing here runs by itself; whoever simulates gives each its turns.
 */
import type { Agent } from "@millrace/core/kernel/agent/Agent"
import type { Clock } from "@millrace/core/kernel/agent/Clock"
import { CountersReader } from "@millrace/core/kernel/counters/CountersReader"
import * as ErrorLogReader from "@millrace/core/kernel/errorlog/ErrorLogReader"
import * as LossReport from "@millrace/core/kernel/lossreport/LossReport"
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import type { ClientConductor } from "../client/ClientConductor.ts"
import type { ClientListener } from "../client/ClientListener.ts"
import * as CncDescriptor from "../command/CncDescriptor.ts"
import { SystemCounters } from "../driver/SystemCounters.ts"
import type { ConcludedSettings } from "../MediaDriverConfig.ts"
import type { SimulatedNetwork } from "../media/SimulatedNetwork.ts"
import type { NameResolver } from "../naming/NameResolver.ts"
import type { SeededRandom } from "../simulation/SeededRandom.ts"
import { type SimulatedFiles, SimulatedMappings } from "../simulation/SimulatedFiles.ts"
import { networkAgent, type NetworkRole, ownResources, remoteAgents } from "./agentLinks.ts"
import { AgentCaller, type AgentMemory, newMemory, type OfAgents } from "./agentRing.ts"
import { assemble as assembleClient, type ClientTimes } from "./clientAssembly.ts"
import { assemble as assembleDriver, type DriverMemory } from "./driverAssembly.ts"
import { cncLengths, startOptions } from "./driverSettings.ts"
import type { DriverStart } from "./driverStart.ts"
import { LABELS, NETWORK_THREADS, type Threading } from "./driverThreads.ts"

/** Where a driver is, and what chance decides for it. */
export interface SimulatedPlace {
  readonly files: SimulatedFiles
  readonly directory: string
  readonly address: Uint8Array
  readonly clock: Clock
  readonly network: SimulatedNetwork
  readonly resolver: NameResolver
  readonly random: SeededRandom
  readonly pid: number
}

/** A loss report of one page: a simulated host has few streams. */
const LOSS_REPORT_LENGTH = 4096
/** Looks of the conductor that a log takes at most. */
const LOG_LOOKS_MAX = 3

const cncPath = (directory: string): string => `${directory}/${CncDescriptor.FILE_NAME}`

/** What of a driver its options do not say. */
export interface SimulatedShape {
  readonly lengths?: CncDescriptor.CncLengths
  readonly threading?: Threading
}

export class SimulatedDriver {
  readonly place: SimulatedPlace
  /** What the driver's process has mapped. */
  readonly mappings: SimulatedMappings
  readonly counters: CountersReader
  /** One a thread, that of the conductor first. Each may have its turn at any time. */
  readonly agents: ReadonlyArray<Agent>
  private readonly cnc: CncDescriptor.CncBuffers

  constructor(place: SimulatedPlace, settings: ConcludedSettings, shape: SimulatedShape = {}) {
    const { address, clock, directory, files, network, pid, random, resolver } = place
    const { lengths = cncLengths(settings), threading = "shared" } = shape
    const threads = NETWORK_THREADS[threading]
    this.place = place
    this.mappings = new SimulatedMappings(files)
    const start = startOf(directory, settings, lengths, threading)
    // What a driver that died here has left.
    files.removeAll(directory)
    const memory = {
      cnc: this.mappings.create(cncPath(directory), CncDescriptor.fileLength(lengths, settings.filePageSize)),
      lossReport: this.mappings.create(`${directory}/loss-report.dat`, LOSS_REPORT_LENGTH)
    }
    this.cnc = CncDescriptor.buffers(memory.cnc.buffer(), lengths)
    this.counters = new CountersReader(this.cnc.countersMetadata, this.cnc.countersValues)
    const rings = threads.length === 0 ? undefined : { conductor: newRing(), sender: newRing(), receiver: newRing() }
    const conductor = assembleDriver(start, memory, {
      clock,
      pid,
      randomInt32: () => random.int32(),
      logFactory: () =>
        this.mappings.logFactory(directory, settings.filePageSize, () => random.between(0, LOG_LOOKS_MAX)),
      network: (lossReport: LossReport.LossReport) => ({
        udp: network.host(address),
        resolver,
        interfaces: () => [{ name: "sim0", address, scopeId: 1 }],
        lossReport,
        remote:
          rings === undefined
            ? undefined
            : remoteAgents(rings.conductor, callerOf(rings.sender), callerOf(rings.receiver))
      })
    })
    const others = rings === undefined ? [] : threads.map((roles) => this.networkAgent(roles, start, memory, rings))
    this.agents = [conductor, ...others]
    for (const agent of this.agents) {
      agent.onStart?.(clock.nanoTime())
    }
  }

  /** Every thread has a turn. */
  doWork(): number {
    const nowNs = this.place.clock.nanoTime()
    return this.agents.reduce((workCount, agent) => workCount + agent.doWork(nowNs), 0)
  }

  /** What the driver noted in its error log. */
  get errors(): ReadonlyArray<string> {
    const texts: Array<string> = []
    ErrorLogReader.read(this.cnc.errorLog, (_count, _firstMs, _lastMs, text) => texts.push(text))
    return texts
  }

  /** An end in order. */
  close(): void {
    for (const agent of this.agents.toReversed()) {
      agent.onClose?.()
    }
    this.mappings.closeAll()
    this.place.files.removeAll(this.place.directory)
  }

  /** The process is gone from one moment to the next: its files stay, its sockets do not. */
  kill(): void {
    this.mappings.closeAll()
    this.place.network.dropHost(this.place.address)
  }

  private networkAgent(
    roles: ReadonlyArray<NetworkRole>,
    { settings }: DriverStart,
    memory: DriverMemory,
    rings: OfAgents<AgentMemory>
  ): Agent {
    const { address, clock, network } = this.place
    const { countersValues } = this.cnc
    return networkAgent(roles, {
      settings,
      clock,
      memory: rings,
      caller: callerOf(rings.conductor),
      systemCounters: new SystemCounters(countersValues),
      resources: ownResources(countersValues, (fileName) => this.mappings.map(fileName), network.host(address)),
      lossReport: new LossReport.LossReport(memory.lossReport.buffer())
    })
  }
}

const newRing = (): AgentMemory => ({ memory: newMemory() })

/** Nobody sleeps here who would have to be woken. */
const callerOf = (ring: AgentMemory): AgentCaller => {
  const nothing = (): void => {}
  return new AgentCaller(ring, nothing, nothing)
}

const startOf = (
  directory: string,
  settings: ConcludedSettings,
  lengths: CncDescriptor.CncLengths,
  threading: Threading
): DriverStart => {
  const options = startOptions(settings)
  return {
    directory,
    cncLengths: lengths,
    reserveWholeCnc: true,
    ...options,
    identity: { ...options.identity, threadingMode: LABELS[threading] },
    deleteDirectoryOnStart: true,
    deleteDirectoryOnShutdown: true,
    media: "none"
  }
}

export interface SimulatedClient {
  readonly conductor: ClientConductor
  readonly counters: CountersReader
  readonly errorLog: AtomicBuffer
  readonly header: CncDescriptor.CncHeader
  readonly mappings: SimulatedMappings
}

/** Connects to the driver in a directory of a host. Throws when there is none. */
export const connectClient = (
  host: { readonly files: SimulatedFiles; readonly clock: Clock },
  directory: string,
  times: ClientTimes,
  listener: ClientListener
): SimulatedClient => {
  const mappings = new SimulatedMappings(host.files)
  const region = mappings.map(cncPath(directory))
  const header = CncDescriptor.decode(region.buffer(0, CncDescriptor.HEADER_LENGTH))
  const buffers = CncDescriptor.buffers(region.buffer(), header)
  const client = assembleClient({ header, buffers }, times, listener, {
    clock: host.clock,
    map: (fileName) => mappings.map(fileName),
    isDriverReplaced: () => false
  })
  client.conductor.onStart(host.clock.nanoTime())
  return { ...client, errorLog: buffers.errorLog, header, mappings }
}
