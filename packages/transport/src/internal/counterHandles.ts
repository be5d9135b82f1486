/** Counters of a user's own through all connections of its client. */
import { KEY_LENGTH_MAX, LABEL_LENGTH_MAX } from "@millrace/core/kernel/counters/CountersDescriptor"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { UserCounter } from "../client/UserCounter.ts"
import type { Counter, CounterOptions, StaticCounterOptions } from "../Counters.ts"
import { InvalidOption, type TransportError } from "../TransportError.ts"
import { type ClientRuntime, type Command, request, spanned } from "./clientRuntime.ts"
import { RestorableHandle } from "./restorableHandle.ts"
import { attempt, fail } from "./transportError.ts"

const INT32_MIN = -(2 ** 31)
const INT32_MAX = 2 ** 31 - 1

class CounterHandle extends RestorableHandle<UserCounter> {
  /**
   * What the counter had when this program last looked, and is to have in the next connection. Its memory may be another
   * counter's when the driver has forgotten this client.
   */
  private value = 0n

  /** A static counter may have been made by another client already, and counted on. */
  protected override onRestored(kernel: UserCounter): void {
    if (kernel.value === 0n) {
      kernel.set(this.value)
    }
  }

  close(): void {
    this.forget()
    this.connection.conductor.userCounters.close(this.kernel)
    this.client.wakeDriver()
  }

  readonly get: Effect.Effect<bigint, TransportError> = this.use(() => {
    if (!this.kernel.isClosed) {
      this.value = this.kernel.value
    }
    return this.value
  })

  readonly set = (value: bigint): Effect.Effect<void, TransportError> =>
    this.use(() => {
      this.value = value
      this.kernel.set(value)
    })

  readonly add = (delta: bigint): Effect.Effect<bigint, TransportError> =>
    this.use(() => {
      const before = this.kernel.getAndAdd(delta)
      this.value = (before ?? this.value) + delta
      return this.value
    })

  private use<A>(evaluate: () => A): Effect.Effect<A, TransportError> {
    return Effect.suspend(() => {
      if (!this.kernel.isClosed) {
        return attempt(evaluate)
      }
      return this.isWaiting ? Effect.sync(evaluate) : fail(this.closed())
    })
  }
}

const check = ({ key, label, typeId }: CounterOptions): Effect.Effect<void, TransportError> => {
  if (!Number.isInteger(typeId) || typeId < INT32_MIN || typeId > INT32_MAX) {
    return fail(new InvalidOption({ option: "typeId", value: String(typeId), allowed: "a whole number of 32 bits" }))
  }
  if ((key?.length ?? 0) > KEY_LENGTH_MAX) {
    const value = `${key!.length} bytes`
    return fail(new InvalidOption({ option: "key", value, allowed: `at most ${KEY_LENGTH_MAX} bytes` }))
  }
  const labelLength = new TextEncoder().encode(label).length
  return labelLength <= LABEL_LENGTH_MAX
    ? Effect.void
    : fail(
        new InvalidOption({
          option: "label",
          value: `${labelLength} bytes`,
          allowed: `at most ${LABEL_LENGTH_MAX} bytes of UTF-8`
        })
      )
}

const NO_KEY = new Uint8Array(0)

const acquire = (
  client: ClientRuntime,
  options: CounterOptions,
  isStatic: boolean,
  send: Command<UserCounter>["send"]
): Effect.Effect<Counter, TransportError, Scope.Scope> => {
  const { label, typeId } = options
  const resource = `counter ${typeId} ${JSON.stringify(label)}`
  const command: Required<Command<UserCounter>> = {
    description: `add ${resource}`,
    send,
    undo: (conductor, counter) => conductor.userCounters.close(counter)
  }
  const add = Effect.andThen(check(options), request(client, command)).pipe(
    Effect.map((kernel) => {
      const handle = new CounterHandle(client, kernel, resource, command)
      client.restorables.add(handle)
      return handle
    }),
    spanned(isStatic ? "addStaticCounter" : "addCounter", { typeId, label })
  )
  const close = (handle: CounterHandle): Effect.Effect<void> => Effect.sync(() => handle.close())
  return Effect.map(Effect.acquireRelease(add, close, { interruptible: true }), (handle) => ({
    typeId,
    label,
    get registrationId() {
      return handle.kernel.registrationId
    },
    get counterId() {
      return handle.kernel.counterId
    },
    get: handle.get,
    set: handle.set,
    add: handle.add
  }))
}

export const add = (client: ClientRuntime, options: CounterOptions) =>
  acquire(client, options, false, (conductor, handlers) =>
    conductor.userCounters.add(options.typeId, options.key ?? NO_KEY, options.label, handlers)
  )

export const addStatic = (client: ClientRuntime, options: StaticCounterOptions) =>
  acquire(client, options, true, (conductor, handlers) =>
    conductor.userCounters.addStatic(
      options.typeId,
      options.key ?? NO_KEY,
      options.label,
      options.registrationId,
      handlers
    )
  )
