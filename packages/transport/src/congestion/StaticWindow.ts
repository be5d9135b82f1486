/** The window stays as it is. */
import type { CongestionControl } from "./CongestionControl.ts"

export class StaticWindow implements CongestionControl {
  readonly initialWindowLength: number
  readonly windowLength: number
  readonly isStatusMessageForced = false

  constructor(windowLength: number) {
    this.initialWindowLength = windowLength
    this.windowLength = windowLength
  }

  shouldMeasureRtt(): boolean {
    return false
  }

  onRttMeasurementSent(): void {}

  onRttMeasurement(): void {}

  onTrackRebuild(): void {}
}
