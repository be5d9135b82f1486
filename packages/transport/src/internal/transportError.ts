/** Turns what kernels throw and what the client's conductor says into the typed error. Once, at the boundary. */
import { reasonOf } from "@millrace/core/CoreError"
import { InvalidBlock as InvalidBlockThrown } from "@millrace/core/kernel/logbuffer/TermBlock"
import * as Effect from "effect/Effect"
import { InvalidChannel as InvalidChannelThrown } from "../channel/InvalidChannel.ts"
import type { RequestFailure } from "../client/ClientFailure.ts"
import type { ImageReader } from "../client/ImageReader.ts"
import * as ErrorCode from "../command/ErrorCode.ts"
import { MalformedMessage } from "../command/MalformedMessage.ts"
import {
  ClientTimeout,
  Closed,
  CommandRefused,
  CommandsFull,
  Corrupt,
  DriverEnded,
  DriverReplaced,
  DriverTimeout,
  InvalidBlock,
  InvalidChannel,
  Lapped,
  NoResponse,
  ServiceTimeout,
  StorageSpace,
  SystemFailed,
  TransportError,
  type TransportErrorReason
} from "../TransportError.ts"

export const fail = (reason: TransportErrorReason): Effect.Effect<never, TransportError> =>
  Effect.fail(new TransportError({ reason }))

export const corruptImage = (image: ImageReader, channel: string): TransportErrorReason =>
  new Corrupt({
    resource: `the image of session ${image.sessionId}, stream ${image.streamId} on ${channel}`,
    detail: image.corruption?.message ?? ""
  })

const CORRUPTIONS = new Set(["CorruptRecord", "CorruptFrame", "InvalidLog"])

/** The typed reason of something thrown by a kernel; undefined for a broken invariant, which dies as a defect. */
export const reasonOfThrown = (thrown: unknown): TransportErrorReason | undefined => {
  if (thrown instanceof TransportError) {
    return thrown.reason
  }
  if (thrown instanceof InvalidChannelThrown) {
    const { allowed, channel, parameter, value } = thrown
    return new InvalidChannel({ channel, parameter, value, allowed })
  }
  if (thrown instanceof MalformedMessage) {
    return new Corrupt({ resource: "a response of the driver", detail: thrown.message })
  }
  if (thrown instanceof Error && "_tag" in thrown && CORRUPTIONS.has(String(thrown._tag))) {
    return new Corrupt({ resource: "shared memory", detail: thrown.message })
  }
  if (thrown instanceof InvalidBlockThrown) {
    const { expected, field, offset, value } = thrown
    return new InvalidBlock({ offset, field, value, expected })
  }
  const error = reasonOf(thrown)
  return error === undefined ? undefined : new SystemFailed({ error })
}

export const failThrown = (thrown: unknown): Effect.Effect<never, TransportError> => {
  const reason = reasonOfThrown(thrown)
  return reason === undefined ? Effect.die(thrown) : fail(reason)
}

/** Runs synchronous kernel code and gives what it throws its type. */
export const attempt = <A>(evaluate: () => A): Effect.Effect<A, TransportError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(evaluate())
    } catch (thrown) {
      return failThrown(thrown)
    }
  })

/** The reason for a request that was not fulfilled, or for the end of a client. */
export const reasonOfFailure = (failure: RequestFailure, directory: string, request: string): TransportErrorReason => {
  switch (failure._tag) {
    case "Closed":
      return new Closed({ resource: "the client" })
    case "DriverTimeout":
      return new DriverTimeout({ directory, heartbeatAgeMs: failure.ageMs, timeoutMs: failure.timeoutMs })
    case "DriverReplaced":
      return new DriverReplaced({ directory, heartbeatAgeMs: failure.ageMs })
    case "DriverEnded":
      return new DriverEnded({ directory })
    case "ClientTimeout":
      return new ClientTimeout({ clientId: String(failure.clientId) })
    case "ServiceTimeout":
      return new ServiceTimeout({ intervalMs: failure.intervalMs, limitMs: failure.limitMs })
    case "Lapped":
      return new Lapped({ directory })
    case "Corrupt":
    case "Unmappable":
      return reasonOfThrown(failure.error) ?? new Corrupt({ resource: directory, detail: String(failure.error) })
    case "Refused":
      return failure.code === ErrorCode.STORAGE_SPACE
        ? new StorageSpace({ detail: failure.message })
        : new CommandRefused({
            code: failure.code,
            codeName: ErrorCode.name(failure.code),
            detail: failure.message
          })
    case "NoResponse":
      return new NoResponse({ request, waitedMs: failure.waitedMs })
    case "CommandsFull":
      return new CommandsFull({ request })
  }
}
