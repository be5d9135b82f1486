/**
 * A client as its publications and subscriptions see it: the connection to the driver that there is now, and what to do
 * when there is none. A connection is to one driver process; a client that reconnects has several, one after
 * the other, and everything it was used for is made anew in each.
 */
import type { AgentRunner } from "@millrace/core/AgentRunner"
import type { CountersReader } from "@millrace/core/kernel/counters/CountersReader"
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import * as Effect from "effect/Effect"
import type * as Latch from "effect/Latch"
import type { ClientConductor } from "../client/ClientConductor.ts"
import type { Cancel, RequestHandlers } from "../client/CommandSender.ts"
import { PollBatches } from "../client/MessagePoll.ts"
import type { CncHeader } from "../command/CncDescriptor.ts"
import { Closed, type TransportError, type TransportErrorReason } from "../TransportError.ts"
import { fail, reasonOfFailure } from "./transportError.ts"

export interface ClientConnection {
  readonly conductor: ClientConductor
  readonly counters: CountersReader
  readonly errorLog: AtomicBuffer
  readonly header: CncHeader
  readonly runner: AgentRunner
}

/** Something that is made anew in each connection, until it is closed. */
export interface Restorable {
  /**
   * Makes it anew, and gives what puts the new one in place of the old: that is called when all others are there too, or
   * never. Fails when the driver of the connection refuses, or is gone again.
   */
  readonly restore: (connection: ClientConnection) => Effect.Effect<() => void, TransportError>
  /** It could not be made anew: it is of no use any more, and this is why. */
  readonly abandon: (reason: TransportErrorReason) => void
  /** Names it in messages. */
  readonly resource: string
}

export class ClientRuntime {
  readonly directory: string
  /** Wakes the driver, if it is one of this process. */
  readonly wakeDriver: () => void
  /** The connection that there is, or that was last. */
  connection: ClientConnection
  /** Why there is no connection while another driver is waited for; undefined when none is. */
  waitingFor: TransportErrorReason | undefined = undefined
  readonly restorables = new Set<Restorable>()
  /** Open unless another driver is waited for. */
  readonly usable: Latch.Latch
  private finalReason: TransportErrorReason | undefined = undefined
  private readonly batches = new Map<number, PollBatches>()

  constructor(directory: string, wakeDriver: () => void, connection: ClientConnection, usable: Latch.Latch) {
    this.directory = directory
    this.wakeDriver = wakeDriver
    this.connection = connection
    this.usable = usable
  }

  get isWaiting(): boolean {
    return this.waitingFor !== undefined
  }

  /** What polls of at most so many messages share. */
  pollBatches(countMax: number): PollBatches {
    const batches = this.batches.get(countMax) ?? new PollBatches(countMax)
    this.batches.set(countMax, batches)
    return batches
  }

  /** Why the client cannot be used any more, or undefined while it can, or will be. */
  get end(): TransportErrorReason | undefined {
    return this.finalReason ?? (this.isWaiting ? undefined : this.endOfConnection(this.connection))
  }

  endOfConnection(connection: ClientConnection): TransportErrorReason | undefined {
    const inactive = connection.conductor.inactive
    return inactive === undefined ? undefined : reasonOfFailure(inactive, this.directory, "")
  }

  /** Another driver is waited for from now on. */
  wait(reason: TransportErrorReason): void {
    this.waitingFor = reason
    this.usable.closeUnsafe()
  }

  /** The connection is a new one, and everything is made anew in it. */
  resume(): void {
    this.waitingFor = undefined
    this.usable.openUnsafe()
  }

  /** There will be no connection any more. */
  finish(reason: TransportErrorReason): void {
    this.finalReason = reason
    this.resume()
  }
}

/** Why an object of the client is closed: because the client ended, or because it was closed itself. */
export const closedReason = (client: ClientRuntime, resource: string): TransportErrorReason => {
  const end = client.end
  return end === undefined || end._tag === "Closed" ? new Closed({ resource }) : end
}

/** A command that is answered with `A`. */
export interface Command<A> {
  readonly description: string
  readonly send: (conductor: ClientConductor, handlers: RequestHandlers<A>) => Cancel
  /** Gives back what the answer was, if it came and nobody took it. */
  readonly undo?: (conductor: ClientConductor, answer: A) => void
}

/**
 * Sends a command in this connection and waits for its answer. What the driver made for one that was interrupted is undone
 * when it is answered.
 */
export const requestIn = <A>(
  client: ClientRuntime,
  { conductor, runner }: ClientConnection,
  { description, send, undo }: Command<A>
): Effect.Effect<A, TransportError> =>
  Effect.callback<A, TransportError>((resume) => {
    let unclaimed: { readonly answer: A } | undefined
    let isInterrupted = false
    // Answers come in the middle of the conductor's work: whoever waits goes on after it, and may end the client.
    const later = (effect: Effect.Effect<A, TransportError>): void =>
      queueMicrotask(() => {
        if (!isInterrupted) {
          unclaimed = undefined
          resume(effect)
        }
      })
    const cancel = send(conductor, {
      onSuccess: (answer) => {
        unclaimed = { answer }
        later(Effect.succeed(answer))
      },
      onFailure: (failure) => later(fail(reasonOfFailure(failure, client.directory, description)))
    })
    // Both sides may be parked: the command is to be read at once, and its answer too.
    client.wakeDriver()
    runner.wakeUnsafe()
    return Effect.sync(() => {
      isInterrupted = true
      cancel()
      if (unclaimed !== undefined) {
        undo?.(conductor, unclaimed.answer)
      }
    })
  })

/** As `requestIn`, in the connection that there is, or in the next one while another driver is waited for. */
export const request = <A>(client: ClientRuntime, command: Command<A>): Effect.Effect<A, TransportError> => {
  const attempt: Effect.Effect<A, TransportError> = Effect.andThen(
    client.usable.await,
    Effect.suspend(() => {
      const { end, connection } = client
      return end === undefined
        ? requestIn(client, connection, command).pipe(
            Effect.catch((error) => (client.isWaiting ? attempt : Effect.fail(error)))
          )
        : fail(end)
    })
  )
  return attempt
}

/** A span around a slow operation: one that waits for the driver. */
export const spanned =
  (name: string, attributes: Record<string, string | number>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withSpan(effect, `millrace.transport.${name}`, { attributes, captureStackTrace: false })
