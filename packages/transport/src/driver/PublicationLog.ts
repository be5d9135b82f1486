/** The log of a new publication, over IPC or UDP: begun where its channel says, or at a random term id. */
import * as LogBufferDescriptor from "@millrace/core/kernel/logbuffer/LogBufferDescriptor"
import * as LogBufferMetadata from "@millrace/core/kernel/logbuffer/LogBufferMetadata"
import { LogBuffers } from "@millrace/core/kernel/logbuffer/LogBuffers"
import type { PublicationParameters } from "../channel/PublicationParameters.ts"
import type { RawLog } from "./LogFactory.ts"
import type { LogFields } from "./SocketBuffers.ts"

export interface PublicationLogFields {
  readonly registrationId: bigint
  readonly sessionId: number
  readonly streamId: number
  readonly isExclusive: boolean
  readonly parameters: PublicationParameters
  readonly filePageSize: number
  /** Where the stream begins if its channel does not say. */
  readonly randomTermId: () => number
  readonly socketBuffers: LogFields
}

export interface PublicationLog {
  readonly log: LogBuffers
  readonly startTermId: number
  readonly startTermOffset: number
  readonly startPosition: number
}

export const create = (rawLog: RawLog, fields: PublicationLogFields): PublicationLog => {
  const { isExclusive, parameters } = fields
  const initialTermId = parameters.initialPosition?.initialTermId ?? fields.randomTermId()
  const { termId, termOffset } = parameters.initialPosition ?? { termId: initialTermId, termOffset: 0 }
  const { ConcurrentPublication, ExclusivePublication } = LogBufferDescriptor.LogType
  const log = LogBuffers.create(rawLog.region, {
    correlationId: fields.registrationId,
    initialTermId,
    mtuLength: parameters.mtuLength,
    termLength: parameters.termLength,
    pageSize: fields.filePageSize,
    sessionId: fields.sessionId,
    streamId: fields.streamId,
    type: isExclusive ? ExclusivePublication : ConcurrentPublication,
    tails: LogBufferMetadata.initialTails(initialTermId, termId, termOffset),
    activeTermCount: LogBufferDescriptor.computeTermCount(termId, initialTermId),
    publicationWindowLength: parameters.publicationWindowLength,
    ...fields.socketBuffers,
    maxResend: parameters.maxResend,
    entityTag: parameters.entityTag,
    responseCorrelationId: parameters.responseCorrelationId,
    lingerTimeoutNs: BigInt(parameters.lingerTimeoutNs),
    untetheredWindowLimitTimeoutNs: BigInt(parameters.untetheredWindowLimitTimeoutNs),
    untetheredLingerTimeoutNs: BigInt(parameters.untetheredLingerTimeoutNs),
    untetheredRestingTimeoutNs: BigInt(parameters.untetheredRestingTimeoutNs),
    isResponse: parameters.isResponse,
    sparse: parameters.isSparse,
    signalEos: parameters.signalEos,
    spiesSimulateConnection: parameters.spiesSimulateConnection
  })
  return {
    log,
    startTermId: termId,
    startTermOffset: termOffset,
    startPosition: LogBufferDescriptor.computePosition(termId, termOffset, parameters.termLength, initialTermId)
  }
}
