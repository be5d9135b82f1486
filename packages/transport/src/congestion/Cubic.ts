/**
 * CUBIC: after a loss the window shrinks, then grows back along a cubic curve: fast, flat around where the loss was,
 * and faster again beyond it.
 *
 *     window(t) = C (t − K)³ + windowMax,   K = cube root of (windowMax × B / C),   t = seconds since the loss
 *
 * In TCP mode the window is at least what TCP with the same round trip would have by then:
 *
 *     tcp(t) = windowMax (1 − B) + 3 B / (2 − B) × t / RTT
 *
 * Windows are counted in datagrams of the MTU.
 */
import type { CongestionControl } from "./CongestionControl.ts"

const C = 0.4
const B = 0.2
const INITIAL_WINDOW = 10
const RTT_TIMEOUT_MULTIPLE = 4
const NS_PER_SECOND = 1e9

export interface CubicOptions {
  readonly mtuLength: number
  readonly maxWindowLength: number
  readonly isMeasuringRtt: boolean
  /** The round trip until one is measured, and how often the window grows. */
  readonly initialRttNs: number
  /** The window grows at least as fast as TCP's. */
  readonly isTcpMode: boolean
  readonly nowNs: number
  /** Shown in counters. */
  readonly onWindow: (windowLength: number) => void
  readonly onRtt: (rttNs: number) => void
}

export class Cubic implements CongestionControl {
  readonly initialWindowLength: number
  windowLength: number
  isStatusMessageForced = false
  private readonly options: CubicOptions
  private readonly windowMax: number
  private window: number
  private windowAtLoss: number
  private k: number
  private timeOfLossNs: number
  private timeOfUpdateNs: number
  private timeOfRttNs = 0
  private rttNs: number
  private rttTimeoutNs: number

  constructor(options: CubicOptions) {
    this.options = options
    this.windowMax = Math.max(1, Math.floor(options.maxWindowLength / options.mtuLength))
    this.window = Math.min(INITIAL_WINDOW, this.windowMax)
    this.windowLength = this.window * options.mtuLength
    this.initialWindowLength = this.windowLength
    this.windowAtLoss = this.windowMax
    this.k = Math.cbrt((this.windowAtLoss * B) / C)
    this.timeOfLossNs = options.nowNs
    this.timeOfUpdateNs = options.nowNs
    this.rttNs = options.initialRttNs
    this.rttTimeoutNs = options.initialRttNs * RTT_TIMEOUT_MULTIPLE
    options.onWindow(this.windowLength)
  }

  shouldMeasureRtt(nowNs: number): boolean {
    return this.options.isMeasuringRtt && nowNs - this.timeOfRttNs > this.rttTimeoutNs
  }

  onRttMeasurementSent(nowNs: number): void {
    this.timeOfRttNs = nowNs
  }

  onRttMeasurement(nowNs: number, rttNs: number): void {
    this.timeOfRttNs = nowNs
    this.rttNs = rttNs
    this.rttTimeoutNs = Math.max(rttNs, this.options.initialRttNs) * RTT_TIMEOUT_MULTIPLE
    this.options.onRtt(rttNs)
  }

  onTrackRebuild(nowNs: number, consumptionPosition: number, lastStatusPosition: number, isLossFound: boolean): void {
    this.isStatusMessageForced = false
    if (isLossFound) {
      this.isStatusMessageForced = true
      this.windowAtLoss = this.window
      this.k = Math.cbrt((this.windowAtLoss * B) / C)
      this.timeOfLossNs = nowNs
      this.setWindow(Math.max(1, Math.trunc(this.window * (1 - B))))
    } else if (this.window < this.windowMax && nowNs - this.timeOfUpdateNs > this.options.initialRttNs) {
      this.setWindow(Math.max(1, this.grown((nowNs - this.timeOfLossNs) / NS_PER_SECOND)))
      this.timeOfUpdateNs = nowNs
    } else if (this.window === 1 && consumptionPosition > lastStatusPosition) {
      // With the smallest window every datagram that is consumed must be told, else the sender waits for the timeout.
      this.isStatusMessageForced = true
    }
  }

  private grown(secondsSinceLoss: number): number {
    const { isTcpMode } = this.options
    const cubic = Math.min(this.windowMax, this.windowAtLoss + Math.trunc(C * (secondsSinceLoss - this.k) ** 3))
    if (!isTcpMode || cubic >= this.windowAtLoss) {
      return cubic
    }
    const rttSeconds = this.rttNs / NS_PER_SECOND
    const tcp = this.windowAtLoss * (1 - B) + ((3 * B) / (2 - B)) * (secondsSinceLoss / rttSeconds)
    return Math.min(this.windowMax, Math.max(cubic, Math.trunc(tcp)))
  }

  private setWindow(window: number): void {
    const windowLength = window * this.options.mtuLength
    this.window = window
    if (windowLength !== this.windowLength) {
      this.windowLength = windowLength
      this.options.onWindow(windowLength)
    }
  }
}
