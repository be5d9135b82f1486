/** How large a window a receiver tells its sender: one strategy an image. */
export interface CongestionControl {
  readonly initialWindowLength: number
  /** The window now, in bytes. */
  readonly windowLength: number
  /** Whether a status message is due although nothing else asks for one; taken at each `onTrackRebuild`. */
  readonly isStatusMessageForced: boolean
  shouldMeasureRtt(nowNs: number): boolean
  onRttMeasurementSent(nowNs: number): void
  onRttMeasurement(nowNs: number, rttNs: number): void
  /** Called in each tick in which the image is rebuilt. */
  onTrackRebuild(nowNs: number, consumptionPosition: number, lastStatusPosition: number, isLossFound: boolean): void
}
