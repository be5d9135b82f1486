/**
 * Ports that the driver gives to sockets whose channel says port 0, instead of those that the system chooses. They go
 * round: a port that was given back is the last to be given again, so that late datagrams find no new owner.
 */

/** How a range is written. */
export const FORM = 'two ports, the lower one first, as "low high", or none'

const RANGE = /^ *(\d{1,5}) +(\d{1,5}) *$/
const PORT_MAX = 65_535

export interface Bounds {
  readonly low: number
  readonly high: number
}

/** Undefined for what is no range. The empty text and `0 0` leave the choice to the system. */
export const parse = (text: string): Bounds | undefined => {
  if (text === "") {
    return { low: 0, high: 0 }
  }
  const match = RANGE.exec(text)
  const low = Number(match?.[1])
  const high = Number(match?.[2])
  return low <= high && high <= PORT_MAX ? { low, high } : undefined
}

export const isRange = (text: string): boolean => parse(text) !== undefined

/** Every port of the range is in use. */
export class PortRangeExhausted extends Error {
  readonly _tag = "PortRangeExhausted"
  readonly low: number
  readonly high: number

  constructor({ high, low }: Bounds) {
    super(`no available ports in range ${low} ${high}`)
    this.low = low
    this.high = high
  }
}

export class PortRange {
  private readonly bounds: Bounds
  private readonly used = new Set<number>()
  private next: number

  constructor(bounds: Bounds) {
    this.bounds = bounds
    this.next = Math.max(bounds.low, 1)
  }

  get isSystems(): boolean {
    return this.bounds.high === 0
  }

  /**
   * Opens a socket on the first free port for which `open` succeeds. `isTaken` tells the error of a port that another
   * process has: then the next one is tried. Throws `PortRangeExhausted` after the last.
   */
  allocate<A>(open: (port: number) => A, isTaken: (error: unknown) => boolean): A {
    const low = Math.max(this.bounds.low, 1)
    const count = this.bounds.high - low + 1
    const first = this.next
    for (let i = 0; i < count; i++) {
      const port = low + ((first - low + i) % count)
      if (this.used.has(port)) {
        continue
      }
      try {
        const opened = open(port)
        this.used.add(port)
        this.next = port === this.bounds.high ? low : port + 1
        return opened
      } catch (error) {
        if (!isTaken(error)) {
          throw error
        }
      }
    }
    throw new PortRangeExhausted(this.bounds)
  }

  /** A channel names this port itself. */
  use(port: number): void {
    this.used.add(port)
  }

  release(port: number): void {
    this.used.delete(port)
  }
}
