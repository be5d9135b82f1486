/**
 * Something that a user holds through all connections of its client: how it is made anew when the driver was lost, and what
 * is said of it when it ends.
 */
import * as Effect from "effect/Effect"
import type { TransportError, TransportErrorReason } from "../TransportError.ts"
import {
  type ClientConnection,
  type ClientRuntime,
  closedReason,
  type Command,
  requestIn,
  type Restorable
} from "./clientRuntime.ts"

export abstract class RestorableHandle<K> implements Restorable {
  readonly client: ClientRuntime
  readonly resource: string
  /** That of the connection that there is, or that was last. */
  kernel: K
  connection: ClientConnection
  private readonly command: Required<Command<K>>
  private isClosedByUser = false
  private abandoned: TransportErrorReason | undefined = undefined

  /** `command` makes it, the same in each connection. */
  constructor(client: ClientRuntime, kernel: K, resource: string, command: Required<Command<K>>) {
    this.client = client
    this.connection = client.connection
    this.kernel = kernel
    this.resource = resource
    this.command = command
  }

  readonly restore = (connection: ClientConnection): Effect.Effect<() => void, TransportError> =>
    Effect.map(requestIn(this.client, connection, this.command), (kernel) => () => {
      if (this.isClosedByUser) {
        this.command.undo(connection.conductor, kernel)
        return
      }
      this.kernel = kernel
      this.connection = connection
      this.onRestored(kernel)
    })

  readonly abandon = (reason: TransportErrorReason): void => {
    this.abandoned = reason
    this.client.restorables.delete(this)
  }

  /** Called once `kernel` is in place. */
  protected onRestored(_kernel: K): void {}

  /** Whether there is no driver, and the next one will make it anew. */
  get isWaiting(): boolean {
    return this.client.isWaiting && !this.isClosedByUser && this.abandoned === undefined
  }

  /** The counters of the driver that it is in. */
  get counters(): ClientConnection["counters"] {
    return this.connection.counters
  }

  closed(): TransportErrorReason {
    return this.abandoned ?? closedReason(this.client, this.resource)
  }

  /** It is not made anew from now on. */
  protected forget(): void {
    this.client.restorables.delete(this)
    this.isClosedByUser = true
  }
}
