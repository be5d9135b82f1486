/** From the concluded options to what the driver's agents and its CnC file need. */
import type { CncLengths } from "../command/CncDescriptor.ts"
import type { DriverSettings } from "../driver/DriverSettings.ts"
import type { DriverIdentity } from "../driver/SystemCounters.ts"
import type { ConcludedSettings } from "../MediaDriverConfig.ts"
import { VERSION } from "./version.ts"

const METADATA_TO_VALUES_RATIO = 4

export const cncLengths = (settings: ConcludedSettings): CncLengths => ({
  toDriver: settings.toDriverBufferLength,
  toClients: settings.toClientsBufferLength,
  countersMetadata: settings.countersValuesBufferLength * METADATA_TO_VALUES_RATIO,
  countersValues: settings.countersValuesBufferLength,
  errorLog: settings.errorBufferLength
})

export const driverSettings = (settings: ConcludedSettings): DriverSettings => {
  const untethered = {
    untetheredWindowLimitTimeoutNs: settings.untetheredWindowLimitTimeout,
    untetheredLingerTimeoutNs: undefined,
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
    nakDelayNs: settings.nakUnicastDelay,
    nakRetryRatio: settings.nakUnicastRetryDelayRatio,
    resolutionCheckIntervalNs: settings.reResolutionCheckInterval,
    socketReceiveBufferLength: settings.socketReceiveBufferLength,
    socketSendBufferLength: settings.socketSendBufferLength,
    streamSessionLimit: settings.streamSessionLimit,
    isMeasuringRtt: settings.cubicMeasureRtt
  }
}

const DURATION_UNITS: ReadonlyArray<readonly [unit: string, ns: number]> = [
  ["s", 1e9],
  ["ms", 1e6],
  ["us", 1e3]
]

/** In the largest unit that divides it: `threshold=100ms`. */
const formatDuration = (ns: number): string => {
  const unit = DURATION_UNITS.find(([, unitNs]) => ns >= unitNs && ns % unitNs === 0)
  return unit === undefined ? `${ns}ns` : `${ns / unit[1]}${unit[0]}`
}

export const identity = (settings: ConcludedSettings): DriverIdentity => {
  return {
    version: VERSION,
    commit: "millrace",
    resolverName: "",
    threadingMode: "SHARED",
    conductorThreshold: formatDuration(settings.conductorCycleThreshold),
    senderThreshold: formatDuration(settings.senderCycleThreshold),
    receiverThreshold: formatDuration(settings.receiverCycleThreshold),
    nameResolverThreshold: "5s"
  }
}
