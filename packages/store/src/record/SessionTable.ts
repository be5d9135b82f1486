/** Something for each session of each stream. The session that was asked for last is found without a look-up. */

export class SessionTable<A> {
  readonly #streams = new Map<number, Map<number, A>>()
  #lastStreamId = 0
  #lastSessionId = 0
  #last: A | undefined = undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  get(streamId: number, sessionId: number): A | undefined {
    if (this.#last !== undefined && sessionId === this.#lastSessionId && streamId === this.#lastStreamId) {
      return this.#last
    }
    const found = this.#streams.get(streamId)?.get(sessionId)
    if (found !== undefined) {
      this.#remember(streamId, sessionId, found)
    }
    return found
  }

  set(streamId: number, sessionId: number, value: A): void {
    let sessions = this.#streams.get(streamId)
    if (sessions === undefined) {
      sessions = new Map()
      this.#streams.set(streamId, sessions)
    }
    this.#size += sessions.has(sessionId) ? 0 : 1
    sessions.set(sessionId, value)
    this.#remember(streamId, sessionId, value)
  }

  *values(): IterableIterator<A> {
    for (const sessions of this.#streams.values()) {
      yield* sessions.values()
    }
  }

  #remember(streamId: number, sessionId: number, value: A): void {
    this.#lastStreamId = streamId
    this.#lastSessionId = sessionId
    this.#last = value
  }
}
