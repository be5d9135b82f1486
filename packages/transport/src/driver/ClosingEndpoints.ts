/**
 * Endpoints that nobody uses any more. They are closed when the agent that watched them says that it has let go: only
 * then may the next socket have the number.
 */
interface Closable {
  readonly id: number
  close(): void
}

export class ClosingEndpoints {
  private readonly endpoints = new Map<number, Closable>()

  /** While an endpoint is on its way its address is still taken. */
  get isEmpty(): boolean {
    return this.endpoints.size === 0
  }

  add(endpoint: Closable): void {
    this.endpoints.set(endpoint.id, endpoint)
  }

  onReleased(endpointId: number): void {
    this.endpoints.get(endpointId)?.close()
    this.endpoints.delete(endpointId)
  }

  closeAll(): void {
    for (const endpoint of this.endpoints.values()) {
      endpoint.close()
    }
    this.endpoints.clear()
  }
}
