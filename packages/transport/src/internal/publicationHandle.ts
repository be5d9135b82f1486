/**
 * One publication of a user's through all connections of its client: what its offers are answered with, and how it is made
 * anew when the driver was lost.
 */
import * as OfferCode from "@millrace/core/kernel/logbuffer/OfferResult"
import * as Effect from "effect/Effect"
import { type ClientPublication, ROTATIONS_MAX } from "../client/ClientPublication.ts"
import type { OfferManyResult, OfferResult } from "../Publication.ts"
import { MaxPositionExceeded, MessageTooLong, NotConnected, type TransportError } from "../TransportError.ts"
import { type ClientRuntime, type Command, request } from "./clientRuntime.ts"
import { RestorableHandle } from "./restorableHandle.ts"
import { attempt, fail } from "./transportError.ts"
import { ROOM_TURNS_MS, waitFor } from "./waitFor.ts"

export type Refusal = Exclude<OfferResult, { readonly _tag: "Accepted" }>

const NOT_CONNECTED: Refusal = { _tag: "NotConnected" }
const BACK_PRESSURED: Refusal = { _tag: "BackPressured" }
const ADMIN_ACTION: Refusal = { _tag: "AdminAction" }
const CLOSED: Refusal = { _tag: "Closed" }
const MAX_POSITION_EXCEEDED: Refusal = { _tag: "MaxPositionExceeded" }

const refusalOf = (code: number): Refusal => {
  switch (code) {
    case OfferCode.NOT_CONNECTED:
      return NOT_CONNECTED
    case OfferCode.BACK_PRESSURED:
      return BACK_PRESSURED
    case OfferCode.ADMIN_ACTION:
      return ADMIN_ACTION
    case OfferCode.MAX_POSITION_EXCEEDED:
      return MAX_POSITION_EXCEEDED
    default:
      return CLOSED
  }
}

/** What is added: the same again in each connection. */
export interface PublicationRequest {
  readonly channel: string
  readonly streamId: number
  readonly isExclusive: boolean
}

/** An offer that is repeated until all of it is accepted: `offer` goes on where it stopped. */
export interface Repeated {
  /** The kernel's answer to one attempt. */
  readonly offer: () => number
  /** Messages that are not accepted yet. */
  readonly remaining: () => number
}

export class PublicationHandle extends RestorableHandle<ClientPublication> {
  private readonly connectTimeoutMs: number

  private constructor(
    client: ClientRuntime,
    kernel: ClientPublication,
    connectTimeoutMs: number,
    command: Required<Command<ClientPublication>>
  ) {
    const resource = `publication ${kernel.registrationId} of stream ${kernel.streamId} on ${kernel.channel}`
    super(client, kernel, resource, command)
    this.connectTimeoutMs = connectTimeoutMs
  }

  static add(
    client: ClientRuntime,
    { channel, isExclusive, streamId }: PublicationRequest,
    connectTimeoutMs: number
  ): Effect.Effect<PublicationHandle, TransportError> {
    const command: Required<Command<ClientPublication>> = {
      description: `add publication ${channel} ${streamId}`,
      send: (conductor, handlers) => conductor.addPublication(channel, streamId, isExclusive, handlers),
      undo: (conductor, kernel) => conductor.closePublication(kernel, false)
    }
    return Effect.map(request(client, command), (kernel) => {
      const handle = new PublicationHandle(client, kernel, connectTimeoutMs, command)
      client.restorables.add(handle)
      return handle
    })
  }

  /** Whether the connection that the publication was in has ended. */
  get isConnectionOver(): boolean {
    return this.connection.conductor.inactive !== undefined
  }

  /** Offers answer `Closed` from now on. False when they did already. */
  close(revoke: boolean): boolean {
    this.forget()
    if (this.kernel.isClosed) {
      return false
    }
    this.connection.conductor.closePublication(this.kernel, revoke)
    this.client.wakeDriver()
    return true
  }

  /** One attempt. Fails when the client has ended; for a closed publication alone `Closed` is an answer. */
  offer(length: number, lengthMax: number, evaluate: () => number): Effect.Effect<OfferResult, TransportError> {
    return Effect.suspend(() =>
      length > lengthMax
        ? fail(new MessageTooLong({ length, lengthMax }))
        : Effect.flatMap(attempt(evaluate), (code) => this.answer(code))
    )
  }

  offerMany(evaluate: () => number): Effect.Effect<OfferManyResult, TransportError> {
    return Effect.flatMap(attempt(evaluate), (code) => {
      const accepted = this.kernel.acceptedCount
      return Effect.map(this.answer(code), (result) => ({ accepted, result }))
    })
  }

  /** Waits for subscribers and room, and for a driver, until the offer is done. The wait starts anew with each part. */
  publish(repeated: Repeated): Effect.Effect<void, TransportError> {
    return Effect.suspend(() => {
      const startMs = performance.now()
      const remaining = repeated.remaining()
      return waitFor(() => {
        let code: number
        let rotations = 0
        do {
          code = repeated.offer()
          if (repeated.remaining() === 0) {
            return Effect.void
          }
          rotations = code === OfferCode.ADMIN_ACTION ? rotations + 1 : 0
        } while (code >= 0 || (rotations > 0 && rotations < ROTATIONS_MAX))
        return this.refused(code, startMs) ?? (repeated.remaining() < remaining ? this.publish(repeated) : undefined)
      }, ROOM_TURNS_MS)
    })
  }

  /** The kernel's code with the end of a connection told from a closed publication. */
  codeOf(code: number): number {
    return code === OfferCode.CLOSED && this.isWaiting ? OfferCode.NOT_CONNECTED : code
  }

  /** What a negative code means, or the error that it stands for. */
  refusal(code: number): Effect.Effect<Refusal, TransportError> {
    const refusal = refusalOf(this.codeOf(code))
    const end = refusal === CLOSED ? this.closed() : undefined
    return end === undefined || end._tag === "Closed" ? Effect.succeed(refusal) : fail(end)
  }

  /** A number that the kernel knows while it is open, or `otherwise` while a driver is waited for. */
  read(evaluate: () => number, otherwise: () => number): Effect.Effect<number, TransportError> {
    return waitFor(() => {
      const value = evaluate()
      if (value === OfferCode.ADMIN_ACTION) {
        // Another writer is about to turn to the next term.
        return undefined
      }
      if (value !== OfferCode.CLOSED) {
        return Effect.succeed(value)
      }
      return this.isWaiting ? Effect.succeed(otherwise()) : fail(this.closed())
    })
  }

  private answer(code: number): Effect.Effect<OfferResult, TransportError> {
    return code >= 0 ? Effect.succeed({ _tag: "Accepted", position: code }) : this.refusal(code)
  }

  /** Undefined when waiting may help. */
  private refused(code: number, startMs: number): Effect.Effect<never, TransportError> | undefined {
    if (code === OfferCode.CLOSED && !this.isWaiting) {
      return fail(this.closed())
    }
    const { channel, positionMax, streamId } = this.kernel
    if (code === OfferCode.MAX_POSITION_EXCEEDED) {
      return fail(new MaxPositionExceeded({ positionMax }))
    }
    const waitedMs = performance.now() - startMs
    const isConnected = code === OfferCode.BACK_PRESSURED || code === OfferCode.ADMIN_ACTION
    return !isConnected && waitedMs > this.connectTimeoutMs
      ? fail(new NotConnected({ channel, streamId, waitedMs }))
      : undefined
  }
}
