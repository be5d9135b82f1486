/** What the kernels throw and answer, as the package's one error. */
import { RegionClosed } from "@millrace/core/kernel/memory/RegionState"
import * as MessageCheck from "../commitlog/MessageCheck.ts"
import type { MessageInput } from "../commitlog/MessageInput.ts"
import * as RecordDescriptor from "../commitlog/RecordDescriptor.ts"
import type { PutRefusal, RefusalReason } from "../engine/PutResult.ts"
import type { StoreHealth } from "../engine/StoreHealth.ts"
import { FileFailure } from "../mapped/FileSystem.ts"
import { NO_BUFFER } from "../mapped/TransientStorePool.ts"
import { ForeignFile as KernelForeignFile } from "../mapped/MappedFileQueue.ts"
import { DamagedLog } from "../recovery/Recovery.ts"
import {
  Closed,
  CorruptLog,
  FileFailed,
  FlushFailed,
  ForeignFile,
  MessageIllegal,
  NotWriteable,
  OutOfSpace,
  PoolExhausted,
  PropertiesTooLong,
  StoreError,
  type StoreErrorReason
} from "../StoreError.ts"

const storeError = (reason: StoreErrorReason): StoreError => new StoreError({ reason })

export const fromFileFailure = (failure: FileFailure, storedCount: number = 0): StoreError => {
  if (failure.code === NO_BUFFER) {
    return storeError(new PoolExhausted({ path: failure.path, detail: failure.message, storedCount }))
  }
  return storeError(
    failure.isOutOfSpace
      ? new OutOfSpace({
          path: failure.path,
          requiredBytes: failure.requiredBytes ?? 0,
          availableBytes: failure.availableBytes ?? 0,
          storedCount
        })
      : new FileFailed({
          operation: failure.operation,
          path: failure.path,
          code: failure.code,
          detail: failure.detail,
          storedCount
        })
  )
}

/** The error for what opening or closing threw; undefined for a defect. */
export const fromThrown = (error: unknown): StoreError | undefined => {
  if (error instanceof StoreError) {
    return error
  }
  if (error instanceof FileFailure) {
    return fromFileFailure(error)
  }
  if (error instanceof KernelForeignFile) {
    return storeError(new ForeignFile({ path: error.path, detail: error.reason }))
  }
  if (error instanceof DamagedLog) {
    const { position, file, validBehind, reason } = error
    return storeError(new CorruptLog({ position, file, validBehind, detail: reason }))
  }
  if (error instanceof RegionClosed) {
    return storeError(new Closed({ directory: error.region }))
  }
  return undefined
}

export const flushFailed = (failure: FileFailure): StoreError =>
  storeError(new FlushFailed({ path: failure.path, code: failure.code, detail: failure.detail }))

/** Why a store that is not writeable refuses. */
export const fromHealth = (health: StoreHealth, directory: string, readOnly: boolean): StoreError => {
  if (health.isClosed) {
    return storeError(new Closed({ directory }))
  }
  if (health.flushFailure !== undefined) {
    return flushFailed(health.flushFailure)
  }
  if (health.broken !== undefined) {
    const { position, reason } = health.broken
    return storeError(new NotWriteable({ directory, detail: `the log cannot be read at ${position}: ${reason}` }))
  }
  if (health.dispatchFailure !== undefined) {
    return fromFileFailure(health.dispatchFailure)
  }
  if (health.diskFull !== undefined) {
    const { freeBytes, freeBytesWanted } = health.diskFull
    return storeError(
      new OutOfSpace({ path: directory, requiredBytes: freeBytesWanted, availableBytes: freeBytes, storedCount: 0 })
    )
  }
  return storeError(new NotWriteable({ directory, detail: readOnly ? "it is open read-only" : "it is not ready" }))
}

export const fromRefusal = (
  refusal: PutRefusal,
  messages: ReadonlyArray<MessageInput>,
  notWriteable: () => StoreError
): StoreError => {
  const { reason, stored } = refusal
  switch (reason._tag) {
    case "NotWriteable":
      return notWriteable()
    case "FileFailure":
      return fromFileFailure(reason.failure, stored.length)
    case "Illegal":
      return illegal(reason, messages[reason.index]!.topic)
  }
}

const illegal = (reason: Extract<RefusalReason, { readonly _tag: "Illegal" }>, topic: string): StoreError => {
  const { code, index, limit, size } = reason
  return code === MessageCheck.PROPERTIES_TOO_LONG
    ? storeError(new PropertiesTooLong({ index, topic, limit: RecordDescriptor.PROPERTIES_LENGTH_MAX }))
    : storeError(new MessageIllegal({ index, topic, detail: detailOf(code, size, limit) }))
}

const detailOf = (code: number, size: number, limit: number): string => {
  switch (code) {
    case MessageCheck.BODY_TOO_LONG:
      return `its body has ${size} bytes, the limit is ${limit} (maxMessageSize)`
    case MessageCheck.BATCH_TOO_LONG:
      return `up to it the batch does not fit into a file of the log, which takes ${limit} bytes of records: put it in parts`
    case MessageCheck.RECORD_TOO_LONG:
      return `its record does not fit into a file of the log, which takes ${limit} bytes of records (body ${size} bytes)`
    case MessageCheck.TOPIC_ILLEGAL:
      return "a topic is a file name of 1 to 255 bytes without / or NUL, and neither . nor .."
    case MessageCheck.PROPERTY_ILLEGAL:
      return "names of properties are not empty, and neither names nor values, keys and tags contain U+0001 or U+0002"
    case MessageCheck.HOST_ILLEGAL:
      return "hosts have the form 10.1.2.3:40123 or [2001:db8::17]:40123"
    case MessageCheck.LMQ_ILLEGAL:
      return "the light queues of INNER_MULTI_DISPATCH have names that a topic can have"
    case MessageCheck.LMQ_TOO_MANY:
      return `there are ${limit} light queues already (maxLmqConsumeQueueNum)`
    case MessageCheck.INNER_BATCH:
      return "an inner batch (sysFlag 128) is put by itself into a topic whose queue type is BatchCQ (setQueueType)"
    case MessageCheck.INNER_NUM_ILLEGAL:
      return "property INNER_NUM says how many messages an inner batch (sysFlag 128) has, 1 to 32767; no other message has it"
    case MessageCheck.QUEUE_ILLEGAL:
      return "a queue id is a whole number from 0 to 2147483647"
    case MessageCheck.BATCH_MIXED:
      return "a batch has one topic and one queue, those of its first message: put the others in a batch of their own"
    case MessageCheck.BATCH_TRANSACTION:
      return "a batch takes no messages of a transaction (sysFlag): put it by itself"
    case MessageCheck.BATCH_DELAY:
      return "a batch takes no messages with a delay (property DELAY): put it by itself"
    default:
      return "flag, sysFlag and reconsumeTimes are 32-bit integers, times and positions whole numbers below 2^53"
  }
}
