/**
 * The conductor: the agent that answers clients and looks after everything they own. A tick reads commands, moves the
 * publisher limits, and once a timer interval shows that the driver lives and ends what has lived too long.
 */
import { type Agent, AgentTermination } from "@millrace/core/kernel/agent/Agent"
import { DutyCycleTracker } from "@millrace/core/kernel/agent/DutyCycleTracker"
import type { MessageHandler } from "@millrace/core/kernel/ringbuffer/MessageHandler"
import * as ChannelUri from "../channel/ChannelUri.ts"
import { InvalidChannel } from "../channel/InvalidChannel.ts"
import type { CorrelatedMessage } from "../command/CorrelatedMessage.ts"
import type { CounterMessage } from "../command/CounterMessage.ts"
import type { DestinationByIdMessage } from "../command/DestinationByIdMessage.ts"
import type { DestinationMessage } from "../command/DestinationMessage.ts"
import * as ErrorCode from "../command/ErrorCode.ts"
import { MalformedMessage } from "../command/MalformedMessage.ts"
import type { NextSessionIdMessage } from "../command/NextSessionIdMessage.ts"
import type { PublicationMessage } from "../command/PublicationMessage.ts"
import * as RejectImage from "../command/RejectImage.ts"
import type { RemoveMessage } from "../command/RemoveMessage.ts"
import type { RemovePublication } from "../command/RemovePublication.ts"
import type { StaticCounterMessage } from "../command/StaticCounterMessage.ts"
import type { SubscriptionMessage } from "../command/SubscriptionMessage.ts"
import type { TerminateDriver } from "../command/TerminateDriver.ts"
import { Clients } from "./Clients.ts"
import { type CommandListener, dispatch } from "./CommandDispatch.ts"
import { ControlProtocolError } from "./ControlProtocolError.ts"
import type { DriverContext } from "./DriverContext.ts"
import * as ErrorText from "./ErrorText.ts"
import { IpcStreams } from "./IpcStreams.ts"
import { NetworkStreams } from "./NetworkStreams.ts"
import { LogFreeing } from "./LogFreeing.ts"
import * as ManagedResource from "./ManagedResource.ts"
import type { PendingCommand } from "./PendingCommand.ts"
import type { PublicationLink } from "./PublicationLink.ts"
import { SessionIds } from "./SessionIds.ts"
import type { SubscriptionLink } from "./SubscriptionLink.ts"
import * as SystemCounters from "./SystemCounters.ts"
import { UserCounters } from "./UserCounters.ts"

/** Commands read in one tick, so that a flood of them cannot hold up the streams. */
const COMMANDS_PER_TICK_MAX = 10
const NONE: ReadonlyArray<number> = []
/** The heartbeat that says the driver has ended. */
const HEARTBEAT_ENDED = -1

export class Conductor implements Agent, CommandListener {
  readonly roleName = "conductor"
  private readonly context: DriverContext
  private readonly clients: Clients
  private readonly userCounters: UserCounters
  private readonly ipc: IpcStreams
  /** Undefined in a driver of IPC alone. */
  readonly network: NetworkStreams | undefined
  private readonly logs: LogFreeing
  private readonly sessionIds: SessionIds
  private readonly publicationLinks: Array<PublicationLink> = []
  private readonly subscriptionLinks: Array<SubscriptionLink> = []
  private readonly dutyCycle: DutyCycleTracker
  private readonly onMessage: MessageHandler = (typeId, buffer, offset, length) =>
    dispatch(this, typeId, buffer, offset, length)
  private pending: PendingCommand | undefined = undefined
  private isTerminated = false
  private nowNs = 0
  private timerDeadlineNs = 0
  private lastCommandPosition = 0
  private areCommandsLost = false
  private timeOfLastCommandNs = 0

  constructor(context: DriverContext) {
    this.context = context
    const { settings, systemCounters } = context
    this.clients = new Clients(context)
    this.userCounters = new UserCounters(context, this.clients)
    this.logs = new LogFreeing(systemCounters, settings.logsFreedPerCycle)
    this.sessionIds = new SessionIds(context.randomInt32(), {
      reservedLow: settings.reservedSessionIdLow,
      reservedHigh: settings.reservedSessionIdHigh
    })
    const links = { publications: this.publicationLinks, subscriptions: this.subscriptionLinks }
    this.ipc = new IpcStreams(context, this.clients, this.sessionIds, links, this.logs)
    this.network =
      context.network === undefined
        ? undefined
        : new NetworkStreams(context, context.network, this.clients, this.sessionIds, links, this.logs)
    this.dutyCycle = new DutyCycleTracker(settings.conductorCycleThresholdNs, {
      proposeMax: (ns) => systemCounters.get(SystemCounters.CONDUCTOR_MAX_CYCLE_TIME).proposeMaxRelease(ns),
      thresholdExceeded: () => systemCounters.increment(SystemCounters.CONDUCTOR_CYCLE_TIME_THRESHOLD_EXCEEDED)
    })
  }

  /** The first heartbeat is written here: a client that waits for it may send commands at once. */
  onStart(nowNs: number): void {
    this.nowNs = nowNs
    this.timeOfLastCommandNs = nowNs
    this.timerDeadlineNs = nowNs + this.context.settings.timerIntervalNs
    this.dutyCycle.update(nowNs)
    this.context.commands.consumerHeartbeatMs = this.context.clock.epochMs()
  }

  doWork(nowNs: number): number {
    this.nowNs = nowNs
    this.dutyCycle.measureAndUpdate(nowNs)
    this.processTimers()
    const workCount =
      this.processCommands() +
      this.ipc.updatePublisherLimits() +
      (this.network?.doWork(nowNs) ?? 0) +
      this.logs.doWork()
    if (this.network?.hasLostAgent === true) {
      this.terminate()
    }
    if (this.isTerminated && (this.network === undefined || this.network.isTerminated)) {
      throw new AgentTermination()
    }
    return workCount
  }

  descriptors(): ReadonlyArray<number> {
    return this.network?.descriptors ?? NONE
  }

  onClose(): void {
    this.pending?.abandon()
    this.ipc.close()
    this.network?.close()
    this.logs.freeAll()
    this.context.commands.consumerHeartbeatMs = HEARTBEAT_ENDED
  }

  onAddPublication(command: PublicationMessage, isExclusive: boolean): void {
    const uri = ChannelUri.parse(command.channel)
    this.pending = uri.isIpc
      ? this.ipc.addPublication(command, ipcOnly(uri), isExclusive)
      : this.networkFor(uri).publications.addPublication(command, uri, isExclusive)
  }

  onRemovePublication(command: RemovePublication): void {
    const index = this.publicationLinks.findIndex((link) => link.registrationId === command.registrationId)
    if (index === -1) {
      const message = `unknown publication: ${command.registrationId}`
      throw new ControlProtocolError(ErrorCode.UNKNOWN_PUBLICATION, message)
    }
    const [link] = this.publicationLinks.splice(index, 1)
    if (command.revoke) {
      link!.publication.revoke()
    }
    link!.close()
    this.context.clientProxy.onOperationSuccess(command.correlationId)
  }

  onAddSubscription(command: SubscriptionMessage): void {
    const uri = ChannelUri.parse(command.channel)
    if (uri.isIpc) {
      this.ipc.addSubscription(command, ipcOnly(uri), this.nowNs)
    } else {
      this.pending = this.networkFor(uri).subscriptions.addSubscription(command, uri)
    }
  }

  onRemoveSubscription(command: RemoveMessage): void {
    const index = this.subscriptionLinks.findIndex((link) => link.registrationId === command.registrationId)
    if (index === -1) {
      const message = `unknown subscription: ${command.registrationId}`
      throw new ControlProtocolError(ErrorCode.UNKNOWN_SUBSCRIPTION, message)
    }
    const [link] = this.subscriptionLinks.splice(index, 1)
    link!.close()
    this.context.clientProxy.onOperationSuccess(command.correlationId)
  }

  onAddDestination(command: DestinationMessage): void {
    throw this.noDestinations(command.channel)
  }

  onRemoveDestination(command: DestinationMessage): void {
    throw this.noDestinations(command.channel)
  }

  onRemoveDestinationById(command: DestinationByIdMessage): void {
    throw this.noDestinations(`id ${command.destinationRegistrationId}`)
  }

  onAddReceiveDestination(command: DestinationMessage): void {
    throw this.noDestinations(command.channel)
  }

  onRemoveReceiveDestination(command: DestinationMessage): void {
    throw this.noDestinations(command.channel)
  }

  onAddCounter(command: CounterMessage): void {
    this.userCounters.add(command)
  }

  onAddStaticCounter(command: StaticCounterMessage): void {
    this.userCounters.addStatic(command)
  }

  onRemoveCounter(command: RemoveMessage): void {
    this.userCounters.remove(command)
  }

  onClientKeepalive(command: CorrelatedMessage): void {
    this.clients.find(command.clientId)?.onKeepalive(this.context.clock.epochMs())
  }

  onClientClose(command: CorrelatedMessage): void {
    this.clients.find(command.clientId)?.onClosedByCommand()
  }

  onRejectImage(command: RejectImage.RejectImage): void {
    if (command.reason.length > RejectImage.REASON_LENGTH_MAX) {
      const message = `the reason for rejecting an image is at most ${RejectImage.REASON_LENGTH_MAX} bytes long`
      throw new ControlProtocolError(ErrorCode.GENERIC_ERROR, message)
    }
    const isFound =
      this.ipc.rejectImage(command.imageCorrelationId, command.reason, this.nowNs) ||
      this.network?.subscriptions.rejectImage(command.imageCorrelationId, command.reason) === true
    if (!isFound) {
      const message = `unable to resolve image for correlationId=${command.imageCorrelationId}`
      throw new ControlProtocolError(ErrorCode.GENERIC_ERROR, message)
    }
    this.context.systemCounters.increment(SystemCounters.IMAGES_REJECTED)
    this.context.clientProxy.onOperationSuccess(command.correlationId)
  }

  onNextAvailableSessionId(command: NextSessionIdMessage): void {
    const sessionId = this.sessionIds.nextForAnyChannel(command.streamId)
    this.context.clientProxy.onNextAvailableSessionId(command.correlationId, sessionId)
  }

  onTerminateDriver(command: TerminateDriver): void {
    if (this.context.isTerminationAllowed(command.token)) {
      this.terminate()
    }
  }

  onCommandFailure(correlationId: bigint, error: unknown): void {
    this.context.recordError(error)
    this.context.clientProxy.onError(correlationId, codeOf(error), ErrorText.of(error))
  }

  /** No work that an idle driver should stay awake for. */
  private processTimers(): void {
    if (this.nowNs < this.timerDeadlineNs) {
      return
    }
    const { nowNs } = this
    const nowMs = this.context.clock.epochMs()
    this.timerDeadlineNs = nowNs + this.context.settings.timerIntervalNs
    this.context.commands.consumerHeartbeatMs = nowMs
    // Clients first: what they own sees in the same pass that they are gone.
    this.clients.check(nowNs, nowMs)
    ManagedResource.checkAll(this.publicationLinks, nowNs, nowMs)
    ManagedResource.checkAll(this.subscriptionLinks, nowNs, nowMs)
    this.ipc.check(nowNs, nowMs)
    this.network?.check(nowNs, nowMs)
    this.userCounters.check(nowNs, nowMs)
    this.checkForBlockedCommands()
  }

  private processCommands(): number {
    let workCount = 0
    while (workCount < COMMANDS_PER_TICK_MAX) {
      if (this.pending !== undefined) {
        if (!this.advancePending(this.pending)) {
          break
        }
        this.pending = undefined
      } else if (this.readCommand() === 0) {
        break
      }
      workCount++
    }
    return workCount
  }

  private readCommand(): number {
    if (this.areCommandsLost) {
      return 0
    }
    try {
      return this.context.commands.read(this.onMessage, 1)
    } catch (error) {
      return this.loseCommands(error)
    }
  }

  /** A client has written over the ring: no command can be read any more, and the streams go on. */
  private loseCommands(error: unknown): 0 {
    this.areCommandsLost = true
    this.context.recordError(error)
    return 0
  }

  private advancePending(command: PendingCommand): boolean {
    try {
      return command.advance(this.nowNs)
    } catch (error) {
      this.onCommandFailure(command.correlationId, error)
      return true
    }
  }

  /** A client that died while writing a command holds up those of all others. */
  private checkForBlockedCommands(): void {
    const { commands, settings, systemCounters } = this.context
    const position = commands.consumerPosition
    const isWaiting = this.pending === undefined && commands.producerPosition > position
    if (position !== this.lastCommandPosition || !isWaiting) {
      this.lastCommandPosition = position
      this.timeOfLastCommandNs = this.nowNs
    } else if (this.nowNs - this.timeOfLastCommandNs > settings.clientLivenessTimeoutNs && this.unblockCommands()) {
      systemCounters.increment(SystemCounters.UNBLOCKED_COMMANDS)
    }
  }

  private unblockCommands(): boolean {
    try {
      return !this.areCommandsLost && this.context.commands.unblock()
    } catch (error) {
      this.loseCommands(error)
      return false
    }
  }

  private terminate(): void {
    if (!this.isTerminated) {
      this.isTerminated = true
      this.network?.terminateAgents()
    }
  }

  private networkFor(uri: ChannelUri.ChannelUri): NetworkStreams {
    if (this.network === undefined || uri.isSpy) {
      const what = uri.isSpy ? "aeron-spy" : "media udp"
      const message = `${what} is not supported by this driver; channel=${uri.channel}`
      throw new ControlProtocolError(ErrorCode.NOT_SUPPORTED, message)
    }
    return this.network
  }

  private noDestinations(destination: string): ControlProtocolError {
    const message = `destinations are not supported by this driver: ${destination}`
    return new ControlProtocolError(ErrorCode.NOT_SUPPORTED, message)
  }
}

const ipcOnly = (uri: ChannelUri.ChannelUri): ChannelUri.ChannelUri => {
  if (uri.isSpy) {
    const message = `spies are invalid on aeron:ipc: subscribe to it directly; channel=${uri.channel}`
    throw new ControlProtocolError(ErrorCode.INVALID_CHANNEL, message)
  }
  if (uri.get("control-mode") === "response") {
    const message = `control-mode=response is not supported by this driver; channel=${uri.channel}`
    throw new ControlProtocolError(ErrorCode.NOT_SUPPORTED, message)
  }
  return uri
}

const codeOf = (error: unknown): number => {
  if (error instanceof ControlProtocolError) {
    return error.code
  }
  if (error instanceof InvalidChannel) {
    return error.isGeneric ? ErrorCode.GENERIC_ERROR : ErrorCode.INVALID_CHANNEL
  }
  return error instanceof MalformedMessage ? ErrorCode.MALFORMED_COMMAND : ErrorCode.GENERIC_ERROR
}
