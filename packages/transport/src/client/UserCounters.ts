/** The counters that this client has added to those of its driver. */
import { AtomicCounter } from "@millrace/core/kernel/counters/AtomicCounter"
import type { CountersReader } from "@millrace/core/kernel/counters/CountersReader"
import type { CounterUpdate } from "../command/CounterUpdate.ts"
import type { Cancel, CommandSender, RequestHandlers } from "./CommandSender.ts"
import { UserCounter } from "./UserCounter.ts"

export class UserCounters {
  private readonly commands: CommandSender
  private readonly reader: CountersReader
  private readonly counters = new Set<UserCounter>()

  constructor(commands: CommandSender, reader: CountersReader) {
    this.commands = commands
    this.reader = reader
  }

  /** A counter that ends with this client, or when `close` is called. */
  add(typeId: number, key: Uint8Array, label: string, handlers: RequestHandlers<UserCounter>): Cancel {
    return this.commands.request("counter", () => this.commands.driver.addCounter(typeId, key, label), handlers)
  }

  /** A counter that outlives its clients: whoever names the same type and registration id has the same one. */
  addStatic(
    typeId: number,
    key: Uint8Array,
    label: string,
    registrationId: bigint,
    handlers: RequestHandlers<UserCounter>
  ): Cancel {
    const onSuccess = (counterId: number): void =>
      handlers.onSuccess(this.hold(new UserCounter(registrationId, this.counterOf(counterId), true)))
    const send = () => this.commands.driver.addStaticCounter(typeId, key, label, registrationId)
    return this.commands.request("staticCounter", send, { onSuccess, onFailure: handlers.onFailure })
  }

  close(counter: UserCounter): void {
    if (counter.isClosed) {
      return
    }
    counter.close()
    this.counters.delete(counter)
    if (!counter.isStatic) {
      this.remove(counter.registrationId)
    }
  }

  /** The driver has forgotten them, or will. */
  closeAll(): void {
    for (const counter of this.counters) {
      counter.close()
    }
    this.counters.clear()
  }

  onCounterReady({ correlationId, counterId }: CounterUpdate): void {
    const request = this.commands.take(correlationId, "counter")
    if (request?.isAbandoned === true) {
      this.remove(correlationId)
    } else {
      request?.onSuccess(this.hold(new UserCounter(correlationId, this.counterOf(counterId), false)) as never)
    }
  }

  onStaticCounter({ correlationId, counterId }: CounterUpdate): void {
    const request = this.commands.take(correlationId, "staticCounter")
    if (request?.isAbandoned === false) {
      request.onSuccess(counterId as never)
    }
  }

  private counterOf(counterId: number): AtomicCounter {
    return new AtomicCounter(this.reader.values, counterId)
  }

  private hold(counter: UserCounter): UserCounter {
    this.counters.add(counter)
    return counter
  }

  private remove(registrationId: bigint): void {
    this.commands.sendEventually(() => this.commands.driver.removeCounter(registrationId))
  }
}
