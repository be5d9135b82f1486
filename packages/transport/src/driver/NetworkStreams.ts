/** The conductor's part in UDP: publications with the sender, subscriptions and images with the receiver. */
import type { Agent } from "@millrace/core/kernel/agent/Agent"
import { SharedResources } from "./AgentResources.ts"
import type { Clients } from "./Clients.ts"
import { ClosingEndpoints } from "./ClosingEndpoints.ts"
import type { ConductorCommands, ImageRequest, ReceiversStatus, Rejection } from "./ConductorCommands.ts"
import type { DriverContext, DriverNetwork } from "./DriverContext.ts"
import type { LogFreeing } from "./LogFreeing.ts"
import { NetworkPublications } from "./NetworkPublications.ts"
import { NetworkSubscriptions } from "./NetworkSubscriptions.ts"
import type { PublicationLink } from "./PublicationLink.ts"
import { ReceiveEndpoints } from "./ReceiveEndpoints.ts"
import { Receiver } from "./Receiver.ts"
import type { ReceiverCommands } from "./ReceiverCommands.ts"
import { SendEndpoints } from "./SendEndpoints.ts"
import { Sender } from "./Sender.ts"
import type { SenderCommands } from "./SenderCommands.ts"
import type { SessionIds } from "./SessionIds.ts"
import type { SubscriptionLink } from "./SubscriptionLink.ts"
import { TimedResolver } from "../naming/TimedResolver.ts"

/** The sender and the receiver. */
const AGENT_COUNT = 2

export class NetworkStreams implements ConductorCommands {
  /** The sender and the receiver, unless they run on threads of their own. */
  readonly agents: ReadonlyArray<Agent>
  readonly publications: NetworkPublications
  readonly subscriptions: NetworkSubscriptions
  private readonly context: DriverContext
  private readonly network: DriverNetwork
  private readonly sendEndpoints: SendEndpoints
  private readonly receiveEndpoints: ReceiveEndpoints
  private readonly closing = new ClosingEndpoints()
  private readonly sender: SenderCommands
  private readonly receiver: ReceiverCommands
  private readonly resolver: TimedResolver
  private nowNs = 0
  /** Agents of other threads that have ended. */
  private readonly terminated = new Set<string>()
  hasLostAgent = false

  constructor(
    context: DriverContext,
    network: DriverNetwork,
    clients: Clients,
    sessionIds: SessionIds,
    links: {
      readonly publications: Array<PublicationLink>
      readonly subscriptions: Array<SubscriptionLink>
    },
    logs: LogFreeing
  ) {
    this.context = context
    const { clock, counters, settings, systemCounters } = context
    const resolver = new TimedResolver(network.resolver, systemCounters, settings.nameResolverThresholdNs, () =>
      clock.nanoTime()
    )
    this.network = { ...network, resolver }
    this.resolver = resolver
    const { closing } = this
    const resources = new SharedResources(context.counters.values)
    const { remote } = network
    if (remote === undefined) {
      const { receiver, sender } = this.newAgents(resources)
      this.sender = sender
      this.receiver = receiver
      this.agents = [sender, receiver]
    } else {
      this.sender = remote.sender
      this.receiver = remote.receiver
      this.agents = []
    }
    this.sendEndpoints = new SendEndpoints(context, this.network, this.sender, closing, resources)
    this.publications = new NetworkPublications(
      context,
      this.network,
      clients,
      sessionIds,
      links.publications,
      logs,
      this.sender,
      this.sendEndpoints,
      closing,
      resources
    )
    this.receiveEndpoints = new ReceiveEndpoints(context, this.network, this.receiver, closing, resources)
    this.subscriptions = new NetworkSubscriptions(
      context,
      this.network,
      clients,
      links.subscriptions,
      logs,
      this.receiver,
      this.receiveEndpoints,
      closing,
      resources
    )
    resolver.init(counters, clock.nanoTime())
  }

  /** Of the resolver, which the conductor looks after. */
  get descriptors(): ReadonlyArray<number> {
    return this.resolver.descriptors
  }

  doWork(nowNs: number): number {
    this.nowNs = nowNs
    return (
      (this.network.remote?.poll(this) ?? 0) +
      this.resolver.doWork(nowNs) +
      this.publications.updatePublisherLimits() +
      this.subscriptions.doWork(nowNs) +
      this.sendEndpoints.checkResolutions()
    )
  }

  check(nowNs: number, nowMs: number): void {
    this.publications.check(nowNs, nowMs)
    this.subscriptions.check(nowNs, nowMs)
  }

  close(): void {
    this.publications.close()
    this.sendEndpoints.close()
    this.subscriptions.close()
    this.receiveEndpoints.close()
    this.closing.closeAll()
    this.resolver.close()
  }

  /** Agents of other threads close what they have before the conductor does. */
  terminateAgents(): void {
    if (this.network.remote !== undefined) {
      this.sender.onTerminate()
      this.receiver.onTerminate()
    }
  }

  /** Whether no agent of another thread works any more. */
  get isTerminated(): boolean {
    return this.network.remote === undefined || this.terminated.size >= AGENT_COUNT
  }

  onEndpointReleased(endpointId: number): void {
    this.closing.onReleased(endpointId)
  }

  onSilent(endpointId: number): void {
    this.sendEndpoints.onSilent(endpointId)
  }

  onReceivers(registrationId: bigint, status: ReceiversStatus): void {
    this.publications.onReceivers(registrationId, status)
  }

  onRejected(registrationId: bigint, rejection: Rejection): void {
    this.publications.onRejected(registrationId, rejection)
  }

  onPublicationFailed(registrationId: bigint, error: unknown): void {
    this.publications.onPublicationFailed(registrationId, error)
  }

  onPublicationReleased(registrationId: bigint): void {
    this.publications.onReleased(registrationId)
  }

  onSetup(request: ImageRequest): void {
    this.subscriptions.onSetup(request)
  }

  onEvicted(endpointId: number, count: number): void {
    const channel = this.receiveEndpoints.find(endpointId)?.udpChannel.channel ?? ""
    for (let times = 0; times < count; times++) {
      this.context.recordError(`WARN more sessions than are remembered send on channel=${channel}`)
    }
  }

  onSessionLimit(endpointId: number, streamId: number): void {
    const channel = this.receiveEndpoints.find(endpointId)?.udpChannel.channel ?? ""
    const { streamSessionLimit } = this.context.settings
    this.context.recordError(`WARN session limit of ${streamSessionLimit}: streamId=${streamId} channel=${channel}`)
  }

  onImageDraining(correlationId: bigint): void {
    this.subscriptions.onDraining(correlationId, this.nowNs)
  }

  onImageFailed(correlationId: bigint, error: unknown): void {
    this.subscriptions.onFailed(correlationId, error)
  }

  onImageReleased(correlationId: bigint): void {
    this.subscriptions.onReleased(correlationId)
  }

  onError(error: unknown): void {
    this.context.recordError(error)
  }

  onTerminated(roleName: string): void {
    this.terminated.add(roleName)
  }

  onAgentDied(roleName: string): void {
    if (!this.terminated.has(roleName)) {
      this.terminated.add(roleName)
      this.hasLostAgent = true
      this.context.recordError(new Error(`the driver's ${roleName} has died, and the driver ends`))
    }
  }

  private newAgents(resources: SharedResources): { readonly sender: Sender; readonly receiver: Receiver } {
    const { clock, settings, systemCounters } = this.context
    const shared = { clock, systemCounters, resources, conductor: this }
    return {
      sender: new Sender({
        ...shared,
        cycleThresholdNs: settings.senderCycleThresholdNs,
        sendsPerPoll: settings.sendsPerPoll,
        resolutionCheckIntervalNs: settings.resolutionCheckIntervalNs
      }),
      receiver: new Receiver({
        ...shared,
        cycleThresholdNs: settings.receiverCycleThresholdNs,
        sessionLimit: settings.streamSessionLimit,
        lossReport: this.network.lossReport
      })
    }
  }
}
