/**
 * A driver's conductor over memory of this process, with a clock that stands still: tests step it tick by tick, send
 * commands as a client would, and read the responses as every client does.
 */
import type { Agent } from "@millrace/core/kernel/agent/Agent"
import { CompositeAgent } from "@millrace/core/kernel/agent/CompositeAgent"
import type { Clock } from "@millrace/core/kernel/agent/Clock"
import { BroadcastReceiver } from "@millrace/core/kernel/broadcast/BroadcastReceiver"
import { BroadcastTransmitter } from "@millrace/core/kernel/broadcast/BroadcastTransmitter"
import { CopyBroadcastReceiver } from "@millrace/core/kernel/broadcast/CopyBroadcastReceiver"
import * as CountersDescriptor from "@millrace/core/kernel/counters/CountersDescriptor"
import { CountersManager } from "@millrace/core/kernel/counters/CountersManager"
import { CountersReader, type CounterRecord } from "@millrace/core/kernel/counters/CountersReader"
import * as LogBufferDescriptor from "@millrace/core/kernel/logbuffer/LogBufferDescriptor"
import { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import type { Region } from "@millrace/core/kernel/memory/Region"
import { ManyToOneRingBuffer } from "@millrace/core/kernel/ringbuffer/ManyToOneRingBuffer"
import { dispatch, type ResponseListener } from "../../src/client/ResponseDispatch.ts"
import { ClientProxy } from "../../src/command/ClientProxy.ts"
import { DriverProxy } from "../../src/command/DriverProxy.ts"
import { Conductor } from "../../src/driver/Conductor.ts"
import type { DriverNetwork } from "../../src/driver/DriverContext.ts"
import type { DriverSettings } from "../../src/driver/DriverSettings.ts"
import type { LogFactory, LogFailure, LogRequest } from "../../src/driver/LogFactory.ts"
import type { SystemLengths } from "../../src/driver/SocketBuffers.ts"
import * as SystemCounters from "../../src/driver/SystemCounters.ts"

const RING_LENGTH = 64 * 1024
const COUNTERS_MAX = 256
const PAGE_SIZE = 4096
export const SYSTEM_BUFFERS: SystemLengths = {
  default: { receive: 100_000, send: 110_000 },
  max: { receive: 4_000_000, send: 5_000_000 }
}
export const TERM_LENGTH = LogBufferDescriptor.TERM_LENGTH_MIN

export class FakeClock implements Clock {
  nowNs = 1_000_000_000
  nowMs = 1_700_000_000_000

  nanoTime(): number {
    return this.nowNs
  }

  epochMs(): number {
    return this.nowMs
  }

  advanceMs(ms: number): void {
    this.nowNs += ms * 1e6
    this.nowMs += ms
  }
}

/** Logs of heap memory by file name. `delayTicks` keeps one pending, `failure` refuses it. */
class HeapLogFactory implements LogFactory {
  readonly logs = new Map<string, HeapRegion>()
  readonly requests: Array<LogRequest> = []
  delayTicks = 0
  failure: LogFailure | undefined = undefined
  freeRefusals = 0
  /** Logs that were asked for and are neither there nor given up. */
  underWay = 0

  create(request: LogRequest): ReturnType<LogFactory["create"]> {
    this.requests.push(request)
    const fileName = `/heap/${request.kind}/${request.registrationId}.logbuffer`
    let ticks = this.delayTicks
    this.underWay++
    return {
      abandon: () => this.underWay--,
      poll: () => {
        if (ticks-- > 0) {
          return undefined
        }
        this.underWay--
        if (this.failure !== undefined) {
          return this.failure
        }
        const region = new HeapRegion(fileName, LogBufferDescriptor.computeLogLength(request.termLength, PAGE_SIZE))
        this.logs.set(fileName, region)
        return { fileName, region, free: () => this.free(fileName, region) }
      }
    }
  }

  /** What a client maps: another region over the same memory. */
  map(fileName: string): Region {
    const region = this.logs.get(fileName)
    if (region === undefined) {
      throw new Error(`no log ${fileName}`)
    }
    return new HeapRegion(fileName, region.memory)
  }

  private free(fileName: string, region: HeapRegion): boolean {
    if (this.freeRefusals > 0) {
      this.freeRefusals--
      return false
    }
    region.close()
    this.logs.delete(fileName)
    return true
  }
}

const settings: DriverSettings = {
  clientLivenessTimeoutNs: 10e9,
  imageLivenessTimeoutNs: 10e9,
  publicationUnblockTimeoutNs: 15e9,
  timerIntervalNs: 1e9,
  filePageSize: PAGE_SIZE,
  ipcPublication: {
    termLength: TERM_LENGTH,
    mtuLength: 1408,
    termWindowLength: 0,
    lingerTimeoutNs: 5e9,
    isSparse: false,
    spiesSimulateConnection: false,
    untetheredWindowLimitTimeoutNs: 5e9,
    untetheredLingerTimeoutNs: undefined,
    untetheredRestingTimeoutNs: 10e9,
    maxResend: 16
  },
  networkPublication: {
    termLength: TERM_LENGTH,
    mtuLength: 1408,
    termWindowLength: 0,
    lingerTimeoutNs: 5e9,
    isSparse: false,
    spiesSimulateConnection: false,
    untetheredWindowLimitTimeoutNs: 5e9,
    untetheredLingerTimeoutNs: undefined,
    untetheredRestingTimeoutNs: 10e9,
    maxResend: 16
  },
  subscription: {
    isReliable: true,
    isTether: true,
    isRejoin: true,
    isSparse: false,
    congestionControl: "static",
    receiverWindowLength: 128 * 1024,
    untetheredWindowLimitTimeoutNs: 5e9,
    untetheredLingerTimeoutNs: undefined,
    untetheredRestingTimeoutNs: 10e9
  },
  reservedSessionIdLow: -1,
  reservedSessionIdHigh: 1000,
  conductorCycleThresholdNs: 100e6,
  senderCycleThresholdNs: 100e6,
  receiverCycleThresholdNs: 100e6,
  statusMessageTimeoutNs: 200e6,
  publicationConnectionTimeoutNs: 5e9,
  retransmitLingerNs: 10e6,
  retransmitDelayNs: 0,
  retransmitRate: 256 * 1024 * 1024,
  flowControl: {
    unicast: "unicast",
    multicast: "max",
    unicastWindowMultiple: 16,
    multicastWindowMultiple: 4,
    receiverTimeoutNs: 5e9,
    groupTag: -1n,
    groupMinSize: 0
  },
  sendsPerPoll: 6,
  datagramsPerSendMax: 64,
  receiverGroupTag: undefined,
  senderPorts: { low: 0, high: 0 },
  receiverPorts: { low: 0, high: 0 },
  logsFreedPerCycle: 1,
  nakDelayNs: 1000,
  nakRetryRatio: 100,
  resolutionCheckIntervalNs: 1e9,
  nameResolverThresholdNs: 5e9,
  socketReceiveBufferLength: 0,
  socketSendBufferLength: 0,
  streamSessionLimit: 2 ** 31 - 1,
  isMeasuringRtt: false,
  cubicInitialRttNs: 100_000,
  isCubicTcpMode: false
}

const identity: SystemCounters.DriverIdentity = {
  version: "0.0.0",
  commit: "test",
  resolverName: "",
  threadingMode: "SHARED",
  conductorThreshold: "100ms",
  senderThreshold: "100ms",
  receiverThreshold: "100ms",
  nameResolverThreshold: "5s"
}

/** One response, by the name of its listener method. */
export interface Response {
  readonly name: keyof ResponseListener
  readonly value: unknown
  readonly isExclusive?: boolean
}

export class HeapDriver {
  readonly clock: FakeClock
  readonly logFactory = new HeapLogFactory()
  readonly errors: Array<unknown> = []
  readonly ring: ManyToOneRingBuffer
  readonly toClients = new HeapRegion("to-clients", RING_LENGTH + 128)
  readonly counters: CountersReader
  readonly conductor: Conductor
  readonly responses: Array<Response> = []
  isTerminationAllowed = false
  private readonly receiver: CopyBroadcastReceiver

  /** The driver's agents in turn. */
  readonly agent: Agent

  constructor(
    overrides: Partial<DriverSettings> = {},
    world: { readonly clock?: FakeClock; readonly network?: DriverNetwork; readonly countersMax?: number } = {}
  ) {
    this.clock = world.clock ?? new FakeClock()
    const epochMs = (): number => this.clock.epochMs()
    this.ring = new ManyToOneRingBuffer(new HeapRegion("to-driver", RING_LENGTH + 768).buffer())
    this.ring.nextCorrelationId()
    const valuesLength = (world.countersMax ?? COUNTERS_MAX) * CountersDescriptor.VALUE_RECORD_LENGTH
    const metadata = new HeapRegion("counters metadata", valuesLength * 4)
    const values = new HeapRegion("counters values", valuesLength)
    const manager = new CountersManager(metadata.buffer(), values.buffer(), epochMs)
    this.counters = new CountersReader(metadata.buffer(), values.buffer())
    this.receiver = new CopyBroadcastReceiver(new BroadcastReceiver(this.toClients.buffer()))
    this.conductor = new Conductor({
      settings: { ...settings, ...overrides },
      clock: this.clock,
      randomInt32: () => 5000,
      commands: this.ring,
      clientProxy: new ClientProxy(new BroadcastTransmitter(this.toClients.buffer())),
      counters: manager,
      systemCounters: SystemCounters.SystemCounters.allocate(manager, identity),
      logFactory: this.logFactory,
      recordError: (error) => this.errors.push(error),
      isTerminationAllowed: () => this.isTerminationAllowed,
      network: world.network,
      socketBuffers: SYSTEM_BUFFERS
    })
    const { network } = this.conductor
    this.agent = new CompositeAgent([this.conductor, ...(network?.agents ?? [])])
    this.agent.onStart?.(this.clock.nanoTime())
  }

  newClient(): DriverProxy {
    return new DriverProxy(this.ring, this.ring.nextCorrelationId())
  }

  /** One tick, then what the driver said in it. */
  tick(): ReadonlyArray<Response> {
    this.agent.doWork(this.clock.nanoTime())
    return this.drain()
  }

  /** Time passes in steps of half a second, with a tick in each; clients in `alive` keep showing that they live. */
  pass(ms: number, alive: ReadonlyArray<DriverProxy> = []): ReadonlyArray<Response> {
    const responses: Array<Response> = []
    for (let passed = 0; passed < ms; passed += 500) {
      this.clock.advanceMs(Math.min(500, ms - passed))
      for (const client of alive) {
        this.beat(client)
      }
      responses.push(...this.tick())
    }
    return responses
  }

  beat(client: DriverProxy): void {
    const id = this.counters.findByTypeIdAndRegistrationId(11, client.clientId)
    this.counters.values.int64[(id * 128) / 8] = BigInt(this.clock.nowMs)
  }

  counter(typeId: number, registrationId: bigint): CounterRecord | undefined {
    const id = this.counters.findByTypeIdAndRegistrationId(typeId, registrationId)
    return id < 0 ? undefined : this.counters.read(id)
  }

  systemCounter(id: number): number {
    return Number(this.counters.value(id))
  }

  setPosition(counterId: number, position: number): void {
    this.counters.values.int64[(counterId * 128) / 8] = BigInt(position)
  }

  /** The log of a publication as a client maps it. */
  log(fileName: string): LogBuffers {
    return new LogBuffers(this.logFactory.map(fileName))
  }

  private drain(): ReadonlyArray<Response> {
    const responses: Array<Response> = []
    const listener = new Proxy({} as ResponseListener, {
      get: (_target, name) => (value: unknown, isExclusive?: boolean) =>
        responses.push({
          name: name as keyof ResponseListener,
          value,
          ...(isExclusive === undefined ? {} : { isExclusive })
        })
    })
    while (this.receiver.receive((...message) => dispatch(listener, ...message)) > 0) {
      // Each message is put into `responses`.
    }
    this.responses.push(...responses)
    return responses
  }
}

export const named = (responses: ReadonlyArray<Response>, name: keyof ResponseListener): ReadonlyArray<unknown> =>
  responses.filter((response) => response.name === name).map(({ value }) => value)
