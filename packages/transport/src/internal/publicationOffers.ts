/** Offers of a publication that wait, and those that are checked before the kernel sees them. */
import { BufferClaim } from "@millrace/core/kernel/logbuffer/BufferClaim"
import * as Effect from "effect/Effect"
import type { ClaimResult, MessageEncoder } from "../Publication.ts"
import { MessageTooLong, TransportError } from "../TransportError.ts"
import type { PublicationHandle } from "./publicationHandle.ts"
import { attempt, fail } from "./transportError.ts"

const tooLong = (length: number, lengthMax: number): TransportError =>
  new TransportError({ reason: new MessageTooLong({ length, lengthMax }) })

/** The limit may be another one after each reconnection: it is looked at with each attempt. */
export const publishOne = (handle: PublicationHandle, message: Uint8Array): Effect.Effect<void, TransportError> =>
  Effect.suspend(() => {
    let isAccepted = false
    return handle.publish({
      offer: () => {
        const { kernel } = handle
        if (message.length > kernel.maxMessageLength) {
          throw tooLong(message.length, kernel.maxMessageLength)
        }
        const code = kernel.offer(message, 0, message.length)
        isAccepted = code >= 0
        return code
      },
      remaining: () => (isAccepted ? 0 : 1)
    })
  })

export const publishMany = (
  handle: PublicationHandle,
  messages: ReadonlyArray<Uint8Array>
): Effect.Effect<void, TransportError> =>
  Effect.suspend(() => {
    let accepted = 0
    let lengthMax = -1
    return handle.publish({
      offer: () => {
        const { kernel } = handle
        if (kernel.maxMessageLength !== lengthMax) {
          lengthMax = kernel.maxMessageLength
          checkLengths(messages, accepted, lengthMax)
        }
        const code = accepted < messages.length ? kernel.offerMany(messages, accepted) : 0
        accepted += accepted < messages.length ? kernel.acceptedCount : 0
        return code
      },
      remaining: () => messages.length - accepted
    })
  })

export const publishBatch = (
  handle: PublicationHandle,
  count: number,
  lengthMax: number,
  encode: MessageEncoder
): Effect.Effect<void, TransportError> =>
  Effect.suspend(() => {
    let accepted = 0
    return handle.publish({
      offer: () => {
        const { kernel } = handle
        if (lengthMax > kernel.maxPayloadLength) {
          throw tooLong(lengthMax, kernel.maxPayloadLength)
        }
        const first = accepted
        const encodeNext: MessageEncoder =
          first === 0 ? encode : (bytes, offset, index) => encode(bytes, offset, first + index)
        const code = kernel.offerBatch(count - first, lengthMax, encodeNext)
        accepted += kernel.acceptedCount
        return code
      },
      remaining: () => count - accepted
    })
  })

/** Throws for the first message from `begin` on that is too long. */
export const checkLengths = (messages: ReadonlyArray<Uint8Array>, begin: number, lengthMax: number): void => {
  for (let index = begin; index < messages.length; index++) {
    if (messages[index]!.length > lengthMax) {
      throw tooLong(messages[index]!.length, lengthMax)
    }
  }
}

export const tryClaim = (handle: PublicationHandle, length: number): Effect.Effect<ClaimResult, TransportError> =>
  Effect.suspend(() => {
    const { kernel } = handle
    if (length > kernel.maxPayloadLength) {
      return fail(new MessageTooLong({ length, lengthMax: kernel.maxPayloadLength }))
    }
    const claim = new BufferClaim()
    return Effect.flatMap(
      attempt(() => kernel.tryClaim(length, claim)),
      (position): Effect.Effect<ClaimResult, TransportError> =>
        position >= 0 ? Effect.succeed({ _tag: "Claimed", claim, position }) : handle.refusal(position)
    )
  })
