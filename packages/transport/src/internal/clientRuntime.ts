/** A connected client: its conductor, the agent's runner, and how its end reaches those who use it. */
import type { AgentRunner } from "@millrace/core/AgentRunner"
import type { CountersReader } from "@millrace/core/kernel/counters/CountersReader"
import * as Effect from "effect/Effect"
import type { ClientConductor } from "../client/ClientConductor.ts"
import type { Cancel, RequestHandlers } from "../client/CommandSender.ts"
import { Closed, type TransportError, type TransportErrorReason } from "../TransportError.ts"
import { fail, reasonOfFailure } from "./transportError.ts"

export interface ClientRuntime {
  readonly directory: string
  readonly conductor: ClientConductor
  readonly counters: CountersReader
  readonly runner: AgentRunner
  /** Wakes the driver, if it is one of this process. */
  readonly wakeDriver: () => void
}

/** Why the client cannot be used any more, or undefined while it can. */
export const endOf = (client: ClientRuntime): TransportErrorReason | undefined => {
  const inactive = client.conductor.inactive
  return inactive === undefined ? undefined : reasonOfFailure(inactive, client.directory, "")
}

/** Why an object of the client is closed: because the client ended, or because it was closed itself. */
export const closedReason = (client: ClientRuntime, resource: string): TransportErrorReason => {
  const end = endOf(client)
  return end === undefined || end._tag === "Closed" ? new Closed({ resource }) : end
}

/** Sends a command and waits for its answer. An interrupted request is undone by the conductor when it is answered. */
export const request = <A>(
  client: ClientRuntime,
  description: string,
  send: (handlers: RequestHandlers<A>) => Cancel
): Effect.Effect<A, TransportError> =>
  Effect.callback<A, TransportError>((resume) => {
    const cancel = send({
      onSuccess: (value) => resume(Effect.succeed(value)),
      onFailure: (failure) => resume(fail(reasonOfFailure(failure, client.directory, description)))
    })
    // Both sides may be parked: the command is to be read at once, and its answer too.
    client.wakeDriver()
    client.runner.wakeUnsafe()
    return Effect.sync(cancel)
  })
