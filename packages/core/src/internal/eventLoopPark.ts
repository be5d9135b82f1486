/**
 * Parks an agent in the event loop of its thread: a timer, the agent's descriptors and the wake descriptor, whichever
 * comes first. Nothing blocks, so messages, completions of the thread pool, interruption and `process.exit` are served
 * during a park.
 */
import type { Agent } from "../agent/Agent.ts"
import { DescriptorWatch } from "../native/Polling.ts"
import type { WakeDescriptor } from "../native/WakeDescriptor.ts"

const NS_PER_MS = 1_000_000

export class EventLoopPark {
  readonly #agent: Agent
  readonly #wakeDescriptor: WakeDescriptor | undefined
  readonly #wakeWatch: DescriptorWatch | undefined
  #fds: ReadonlyArray<number> | undefined
  #watch: DescriptorWatch | undefined
  #timer: NodeJS.Timeout | undefined
  #resume: (() => void) | undefined
  #isWoken: boolean = false

  constructor(agent: Agent, wakeDescriptor?: WakeDescriptor) {
    this.#agent = agent
    this.#wakeDescriptor = wakeDescriptor
    if (wakeDescriptor !== undefined) {
      this.#wakeWatch = new DescriptorWatch([wakeDescriptor.fd], () => this.#wakeDescriptorReady())
    }
  }

  /** Lets go of descriptors that the agent no longer names. To be called after every duty cycle. */
  update(): void {
    const fds = this.#agent.descriptors?.()
    if (fds !== this.#fds) {
      this.#fds = fds
      this.#watch?.close()
      this.#watch = fds === undefined || fds.length === 0 ? undefined : new DescriptorWatch(fds, () => this.#end())
    }
  }

  /** Calls `resume` once, from the event loop, after `parkNs` or a wake. */
  park(parkNs: number, resume: () => void): void {
    if (this.#isWoken) {
      this.#isWoken = false
      setImmediate(resume)
      return
    }
    this.#resume = resume
    this.#timer = setTimeout(() => this.#end(), parkNs / NS_PER_MS)
    this.#watch?.arm()
    this.#wakeWatch?.arm()
  }

  /** Ends the park, or the next one if there is none now. For the thread of the agent. */
  wake(): void {
    if (this.#resume === undefined) {
      this.#isWoken = true
    } else {
      setImmediate(this.#take())
    }
  }

  /** Forgets the park: `resume` is not called any more. */
  close(): void {
    this.#take()
    this.#watch?.close()
    this.#watch = undefined
    this.#wakeWatch?.close()
  }

  #end(): void {
    this.#take()()
  }

  #take(): () => void {
    const resume = this.#resume ?? ignore
    this.#resume = undefined
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#watch?.disarm()
    this.#wakeWatch?.disarm()
    return resume
  }

  #wakeDescriptorReady(): void {
    this.#wakeDescriptor?.drain()
    this.#end()
  }
}

const ignore = (): void => {}
