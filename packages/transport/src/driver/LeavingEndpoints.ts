/**
 * Endpoints that have left an agent's descriptors. The conductor is told one duty cycle later: only then has the event
 * loop let go of their numbers.
 */
export class LeavingEndpoints {
  private left: Array<number> = []
  private due: Array<number> = []
  private readonly onReleased: (endpointId: number) => void

  constructor(onReleased: (endpointId: number) => void) {
    this.onReleased = onReleased
  }

  add(endpointId: number): void {
    this.left.push(endpointId)
  }

  doWork(): number {
    if (this.left.length === 0 && this.due.length === 0) {
      return 0
    }
    const { due } = this
    this.due = this.left
    this.left = []
    for (const endpointId of due) {
      this.onReleased(endpointId)
    }
    return 1
  }
}
