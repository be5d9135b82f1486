/** The conductor's part in UDP: publications with the sender, subscriptions and images with the receiver. */
import type { Clients } from "./Clients.ts"
import { ClosingEndpoints } from "./ClosingEndpoints.ts"
import type { DriverContext, DriverNetwork } from "./DriverContext.ts"
import type { LogFreeing } from "./LogFreeing.ts"
import { NetworkPublications } from "./NetworkPublications.ts"
import { NetworkSubscriptions } from "./NetworkSubscriptions.ts"
import type { PublicationLink } from "./PublicationLink.ts"
import { ReceiveEndpoints } from "./ReceiveEndpoints.ts"
import { Receiver } from "./Receiver.ts"
import { SendEndpoints } from "./SendEndpoints.ts"
import { Sender } from "./Sender.ts"
import type { SessionIds } from "./SessionIds.ts"
import type { SubscriptionLink } from "./SubscriptionLink.ts"

export class NetworkStreams {
  readonly sender: Sender
  readonly receiver: Receiver
  readonly publications: NetworkPublications
  readonly subscriptions: NetworkSubscriptions
  private readonly sendEndpoints: SendEndpoints
  private readonly receiveEndpoints: ReceiveEndpoints
  private readonly closing = new ClosingEndpoints()

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
    const { recordError, settings, systemCounters } = context
    this.sender = new Sender({
      systemCounters,
      cycleThresholdNs: settings.senderCycleThresholdNs,
      sendsPerPoll: settings.sendsPerPoll,
      resolutionCheckIntervalNs: settings.resolutionCheckIntervalNs,
      onSilent: (endpoint) => this.sendEndpoints.onSilent(endpoint)
    })
    this.receiver = new Receiver({
      systemCounters,
      cycleThresholdNs: settings.receiverCycleThresholdNs,
      sessionLimit: settings.streamSessionLimit,
      onSetup: (request) => this.subscriptions.onSetup(request),
      onEvicted: (endpoint) =>
        recordError(`WARN more sessions than are remembered send on channel=${endpoint.udpChannel.channel}`)
    })
    this.sendEndpoints = new SendEndpoints(context, network, this.sender, this.closing)
    this.publications = new NetworkPublications(
      context,
      network,
      clients,
      sessionIds,
      links.publications,
      logs,
      this.sender,
      this.sendEndpoints,
      this.closing
    )
    this.receiveEndpoints = new ReceiveEndpoints(context, network, this.receiver, this.closing)
    this.subscriptions = new NetworkSubscriptions(
      context,
      network,
      clients,
      links.subscriptions,
      logs,
      this.receiver,
      this.receiveEndpoints,
      this.closing
    )
  }

  doWork(nowNs: number): number {
    return (
      this.closing.doWork() +
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
  }
}
