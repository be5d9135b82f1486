/**
 * Calls from the agent of one thread to that of another: the name of a command and its arguments, put into a ring over
 * shared memory, and a wake. What a ring has no room for waits in order until it has, so no call is lost.
 */
import * as v8 from "node:v8"
import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import { WakeDescriptor, type WakeHandle } from "@millrace/core/kernel/native/WakeDescriptor"
import { ManyToOneRingBuffer } from "@millrace/core/kernel/ringbuffer/ManyToOneRingBuffer"
import { TRAILER_LENGTH } from "@millrace/core/kernel/ringbuffer/RingBufferDescriptor"

/** The longest call, of which a rejection's text is the longest part, takes an eighth at most. */
const CAPACITY = 256 * 1024
const CALLS_PER_POLL_MAX = 64
const CALL_TYPE_ID = 1

/** The ring that an agent is called by. */
export interface AgentMemory {
  readonly memory: SharedArrayBuffer
}

/** Where an agent of another thread is called: plain data, so that it can be posted. */
export interface AgentAddress extends AgentMemory {
  readonly wake: WakeHandle
}

/** Something of each agent of a driver. */
export interface OfAgents<A> {
  readonly conductor: A
  readonly sender: A
  readonly receiver: A
}

export const newMemory = (): SharedArrayBuffer => new SharedArrayBuffer(CAPACITY + TRAILER_LENGTH)

const ringOf = ({ memory }: AgentMemory): ManyToOneRingBuffer =>
  new ManyToOneRingBuffer(new HeapRegion("calls between agents", memory).buffer())

/** Calls an agent of another thread, whose park they end. */
export const callerOf = (address: AgentAddress, onFull: () => void): AgentCaller => {
  const descriptor = WakeDescriptor.attach(address.wake)
  return new AgentCaller(address, () => descriptor.wake(), onFull)
}

/** The calling side. */
export class AgentCaller {
  private readonly ring: ManyToOneRingBuffer
  private readonly wake: () => void
  private readonly onFull: () => void
  private waiting: Array<Uint8Array> = []

  constructor(memory: AgentMemory, wake: () => void, onFull: () => void) {
    this.ring = ringOf(memory)
    this.wake = wake
    this.onFull = onFull
  }

  /** An object whose functions put calls of themselves into the ring. */
  proxy<C>(names: ReadonlyArray<keyof C & string>): C {
    const functions = names.map((name, index) => [name, (...args: Array<unknown>) => this.call(index, args)] as const)
    return Object.fromEntries(functions) as C
  }

  /** What waited for room goes; returns how many calls did. */
  flush(): number {
    const { length } = this.waiting
    if (length === 0) {
      return 0
    }
    const sent = this.waiting.findIndex((call) => !this.write(call))
    this.waiting = sent === -1 ? [] : this.waiting.slice(sent)
    this.wake()
    return length - this.waiting.length
  }

  private call(index: number, args: ReadonlyArray<unknown>): void {
    const call = v8.serialize([index, ...args])
    if (this.waiting.length > 0 || !this.write(call)) {
      this.onFull()
      this.waiting.push(call)
    }
    this.wake()
  }

  private write(call: Uint8Array): boolean {
    return this.ring.write(CALL_TYPE_ID, call, 0, call.length)
  }
}

/** The called side. */
export class AgentCalls<C extends object> {
  private readonly ring: ManyToOneRingBuffer
  private readonly names: ReadonlyArray<keyof C>
  private readonly onError: (error: unknown) => void

  constructor(memory: AgentMemory, names: ReadonlyArray<keyof C>, onError: (error: unknown) => void) {
    this.ring = ringOf(memory)
    this.names = names
    this.onError = onError
  }

  /** Makes the calls that have come; one that fails is told, and the others are made. Returns how many there were. */
  poll(target: C): number {
    return this.ring.read((_typeId, buffer, offset, length) => {
      try {
        const [index, ...args] = v8.deserialize(buffer.bytes.slice(offset, offset + length)) as [
          number,
          ...Array<unknown>
        ]
        ;(target[this.names[index]!] as (...args: ReadonlyArray<unknown>) => void).call(target, ...args)
      } catch (error) {
        this.onError(error)
      }
    }, CALLS_PER_POLL_MAX)
  }
}
