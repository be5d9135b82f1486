/** From the concluded options to what the driver's agents and its CnC file need. */
import type { CncLengths } from "../command/CncDescriptor.ts"
import * as SettingValue from "../config/SettingValue.ts"
import type { DriverSettings } from "../driver/DriverSettings.ts"
import type { DriverIdentity } from "../driver/SystemCounters.ts"
import type { FlowControlDefaults } from "../flow/FlowControlSelection.ts"
import * as LossPlan from "../media/LossPlan.ts"
import * as PortRange from "../media/PortRange.ts"
import type { ConcludedSettings } from "../MediaDriverConfig.ts"
import type { DriverStart } from "./driverStart.ts"
import type { NamingOptions } from "./nameResolver.ts"
import { VERSION } from "./version.ts"

const METADATA_TO_VALUES_RATIO = 4
const NS_PER_MS = 1e6

export const cncLengths = (settings: ConcludedSettings): CncLengths => ({
  toDriver: settings.toDriverBufferLength,
  toClients: settings.toClientsBufferLength,
  countersMetadata: settings.countersValuesBufferLength * METADATA_TO_VALUES_RATIO,
  countersValues: settings.countersValuesBufferLength,
  errorLog: settings.errorBufferLength
})

/** What of the options a driver is started with, wherever its directory is. */
export const startOptions = (
  settings: ConcludedSettings
): Omit<DriverStart, "directory" | "cncLengths" | "reserveWholeCnc" | "deleteDirectoryOnShutdown" | "media"> => ({
  settings: driverSettings(settings),
  driverTimeoutMs: settings.driverTimeout / NS_PER_MS,
  deleteDirectoryOnStart: settings.dirDeleteOnStart,
  warnIfDirectoryExists: settings.dirWarnIfExists,
  isTerminationAllowed: settings.allowTermination,
  terminationToken: settings.terminationToken,
  lossReportLength: settings.lossReportBufferLength,
  countersFreeToReuseTimeoutMs: settings.countersFreeToReuseTimeout / NS_PER_MS,
  storage: { isChecking: settings.performStorageChecks, warningThreshold: settings.lowFileStoreWarningThreshold },
  loss: lossPlan(settings),
  naming: naming(settings),
  identity: identity(settings)
})

const naming = (settings: ConcludedSettings): NamingOptions => ({
  resolver: settings.nameResolver,
  initArgs: settings.nameResolverInitArgs,
  name: settings.resolverName,
  interface: settings.resolverInterface,
  bootstrapNeighbors: settings.resolverBootstrapNeighbor,
  neighborTimeoutNs: settings.resolverNeighborTimeout,
  selfResolutionIntervalNs: settings.resolverSelfResolutionInterval,
  neighborResolutionIntervalNs: settings.resolverNeighborResolutionInterval,
  bootstrapResolutionIntervalNs: settings.resolverBootstrapNeighborResolutionInterval,
  mtuLength: settings.mtuLength
})

const lossPlan = (settings: ConcludedSettings): LossPlan.LossPlan => {
  const given = {
    loss: settings.lossArguments,
    "fixed-loss": settings.fixedLossArguments,
    "multi-gap-loss": settings.multiGapLossArguments
  }
  return {
    incoming: LossPlan.parseAll(settings.incomingInterceptors, given),
    outgoing: LossPlan.parseAll(settings.outgoingInterceptors, given),
    receiveData: { rate: settings.receiveDataLossRate, seed: settings.receiveDataLossSeed },
    receiveControl: { rate: settings.receiveControlLossRate, seed: settings.receiveControlLossSeed },
    sendData: { rate: settings.sendDataLossRate, seed: settings.sendDataLossSeed },
    sendControl: { rate: settings.sendControlLossRate, seed: settings.sendControlLossSeed }
  }
}

const driverSettings = (settings: ConcludedSettings): DriverSettings => {
  const untethered = {
    untetheredWindowLimitTimeoutNs: settings.untetheredWindowLimitTimeout,
    untetheredLingerTimeoutNs: settings.untetheredLingerTimeout,
    untetheredRestingTimeoutNs: settings.untetheredRestingTimeout
  }
  const publication = {
    ...untethered,
    lingerTimeoutNs: settings.publicationLingerTimeout,
    isSparse: settings.termBufferSparseFile,
    spiesSimulateConnection: settings.spiesSimulateConnection,
    maxResend: settings.maxResend
  }
  return {
    clientLivenessTimeoutNs: settings.clientLivenessTimeout,
    imageLivenessTimeoutNs: settings.imageLivenessTimeout,
    publicationUnblockTimeoutNs: settings.publicationUnblockTimeout,
    timerIntervalNs: settings.timerInterval,
    filePageSize: settings.filePageSize,
    ipcPublication: {
      ...publication,
      termLength: settings.ipcTermBufferLength,
      mtuLength: settings.ipcMtuLength,
      termWindowLength: settings.ipcPublicationTermWindowLength
    },
    networkPublication: {
      ...publication,
      termLength: settings.termBufferLength,
      mtuLength: settings.mtuLength,
      termWindowLength: settings.publicationTermWindowLength
    },
    subscription: {
      ...untethered,
      isReliable: settings.reliableStream,
      isTether: settings.tetherSubscriptions,
      isRejoin: settings.rejoinStream,
      isSparse: settings.termBufferSparseFile,
      congestionControl: settings.congestionControl,
      receiverWindowLength: settings.initialWindowLength
    },
    reservedSessionIdLow: settings.reservedSessionIdLow,
    reservedSessionIdHigh: settings.reservedSessionIdHigh,
    conductorCycleThresholdNs: settings.conductorCycleThreshold,
    senderCycleThresholdNs: settings.senderCycleThreshold,
    receiverCycleThresholdNs: settings.receiverCycleThreshold,
    statusMessageTimeoutNs: settings.statusMessageTimeout,
    publicationConnectionTimeoutNs: settings.publicationConnectionTimeout,
    retransmitLingerNs: settings.retransmitUnicastLinger,
    retransmitDelayNs: settings.retransmitUnicastDelay,
    retransmitRate: settings.retransmitRate,
    flowControl: flowControlDefaults(settings),
    sendsPerPoll: settings.sendToStatusPollRatio,
    datagramsPerSendMax: settings.networkPublicationMaxMessagesPerSend,
    receiverGroupTag: settings.receiverGroupTag,
    senderPorts: PortRange.parse(settings.senderWildcardPortRange) ?? SYSTEM_PORTS,
    receiverPorts: PortRange.parse(settings.receiverWildcardPortRange) ?? SYSTEM_PORTS,
    logsFreedPerCycle: settings.resourceFreeLimit,
    nakDelayNs: settings.nakUnicastDelay,
    nakRetryRatio: settings.nakUnicastRetryDelayRatio,
    resolutionCheckIntervalNs: settings.reResolutionCheckInterval,
    nameResolverThresholdNs: settings.nameResolverThreshold,
    socketReceiveBufferLength: settings.socketReceiveBufferLength,
    socketSendBufferLength: settings.socketSendBufferLength,
    streamSessionLimit: settings.streamSessionLimit,
    isMeasuringRtt: settings.cubicMeasureRtt,
    cubicInitialRttNs: settings.cubicInitialRtt,
    isCubicTcpMode: settings.cubicTcpMode
  }
}

const SYSTEM_PORTS: PortRange.Bounds = { low: 0, high: 0 }

const flowControlDefaults = (settings: ConcludedSettings): FlowControlDefaults => ({
  unicast: settings.unicastFlowControl,
  multicast: settings.multicastFlowControl,
  unicastWindowMultiple: settings.unicastRetransmitWindowMultiple,
  multicastWindowMultiple: settings.multicastRetransmitWindowMultiple,
  receiverTimeoutNs: settings.flowControlReceiverTimeout,
  groupTag: settings.flowControlGroupTag,
  groupMinSize: settings.flowControlGroupMinSize
})

const identity = (settings: ConcludedSettings): DriverIdentity => {
  return {
    version: VERSION,
    commit: "millrace",
    resolverName: settings.resolverName,
    threadingMode: "SHARED",
    conductorThreshold: SettingValue.formatDuration(settings.conductorCycleThreshold),
    senderThreshold: SettingValue.formatDuration(settings.senderCycleThreshold),
    receiverThreshold: SettingValue.formatDuration(settings.receiverCycleThreshold),
    nameResolverThreshold: SettingValue.formatDuration(settings.nameResolverThreshold)
  }
}
