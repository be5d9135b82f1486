/**
 * Endpoints that nobody uses any more. They are closed one tick after they have left the agents' descriptors: only then
 * has the event loop let go of a number that the next socket may have.
 */
interface Closable {
  close(): void
}

export class ClosingEndpoints {
  private left: Array<Closable> = []
  private due: Array<Closable> = []

  /** While an endpoint is on its way its address is still taken. */
  get isEmpty(): boolean {
    return this.left.length === 0 && this.due.length === 0
  }

  add(endpoint: Closable): void {
    this.left.push(endpoint)
  }

  doWork(): number {
    if (this.isEmpty) {
      return 0
    }
    const { due } = this
    this.due = this.left
    this.left = []
    for (const endpoint of due) {
      endpoint.close()
    }
    return 1
  }

  closeAll(): void {
    for (const endpoint of [...this.due.splice(0), ...this.left.splice(0)]) {
      endpoint.close()
    }
  }
}
