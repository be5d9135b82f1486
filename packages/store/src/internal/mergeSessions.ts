/** The sessions of a merge: what waits of each live, where it is in the recording, and what was given of it. */
import type { MessageStore } from "../MessageStore.ts"
import type { StreamMessage } from "../Recorder.ts"
import { LiveSession, LiveWindow } from "../record/LiveWindow.ts"
import { SessionTable } from "../record/SessionTable.ts"
import type { MergeOptions, Replayed } from "../Replayer.ts"
import { QueueWatch, type Watched } from "./queueWatch.ts"
import { isSelected, placeFor } from "./sessionCursor.ts"

type Store = MessageStore["Service"]

const LIVE_BYTES_MAX_DEFAULT = 4 * 1024 * 1024

export class MergeSession {
  readonly streamId: number
  readonly sessionId: number
  readonly live: LiveSession<StreamMessage>
  /** Behind what was given. Undefined while it is not known where the session begins. */
  delivered: number | undefined
  /** Its queue of the recording, once there is one. */
  watched: Watched | undefined = undefined
  /** Whether the cursor of the recording goes on behind what was given. */
  isAligned = true

  constructor(streamId: number, sessionId: number, window: LiveWindow, delivered: number | undefined) {
    this.streamId = streamId
    this.sessionId = sessionId
    this.live = new LiveSession(window)
    this.delivered = delivered
  }

  /** Takes what follows from the live stream. @returns whether there was anything */
  takeLive(countMax: number, into: Array<StreamMessage>): boolean {
    if (this.delivered === undefined && this.live.begin === 0) {
      // Nothing lies before the beginning of a stream.
      this.delivered = 0
    }
    if (this.delivered === undefined) {
      return false
    }
    this.delivered = this.live.take(this.delivered, countMax, into)
    if (into.length > 0) {
      this.isAligned = false
    }
    return into.length > 0
  }

  /** Whether the live stream has, or will bring, everything that follows. */
  goesOnLive(): boolean {
    return this.live.goesOnFrom(this.delivered)
  }

  /** Whether what follows waits in the window. */
  hasNextLive(): boolean {
    return this.delivered !== undefined && this.live.begin <= this.delivered
  }

  /** Where the session begins for who knows no other place; undefined where neither recording nor live stream says. */
  beginOf({ startPosition }: Replayed): number | undefined {
    return startPosition === undefined ? undefined : Math.min(startPosition, this.live.begin)
  }
}

export class MergeSessions {
  readonly window: LiveWindow
  readonly watch: QueueWatch
  readonly #options: MergeOptions
  readonly #table = new SessionTable<MergeSession>()
  /** By turn: the one that gave last is asked last. */
  readonly #all: Array<MergeSession> = []
  #turn = 0

  constructor(store: Store, topic: string, options: MergeOptions) {
    this.#options = options
    this.window = new LiveWindow(options.liveBytesMax ?? LIVE_BYTES_MAX_DEFAULT)
    this.watch = new QueueWatch(store, topic, options, (watched) => {
      const { cursor } = watched
      const session = this.of(cursor.streamId, cursor.sessionId)
      session.watched = watched
      if (session.delivered === undefined) {
        session.delivered = cursor.delivered
      } else if (session.delivered !== cursor.delivered) {
        session.isAligned = false
      }
    })
  }

  of(streamId: number, sessionId: number): MergeSession {
    let session = this.#table.get(streamId, sessionId)
    if (session === undefined) {
      const { from } = this.#options
      const isPlace = typeof from === "object" && !(from instanceof Date)
      const place = isPlace ? placeFor(from, { streamId, sessionId }) : undefined
      session = new MergeSession(streamId, sessionId, this.window, place?.position)
      this.#table.set(streamId, sessionId, session)
      this.#all.push(session)
    }
    return session
  }

  isSelected(message: StreamMessage): boolean {
    return isSelected(this.#options, message)
  }

  /** All of them, each time from another one on. */
  inTurn(): ReadonlyArray<MergeSession> {
    const turn = this.#all.length === 0 ? 0 : this.#turn++ % this.#all.length
    return turn === 0 ? this.#all : [...this.#all.slice(turn), ...this.#all.slice(0, turn)]
  }

  /** Whether what follows of some session waits in the window. */
  hasNextLive(): boolean {
    return this.#all.some((session) => session.hasNextLive())
  }

  /** A session whose live messages wait for the recording; undefined while there is none. */
  waiting(): MergeSession | undefined {
    return this.#all.find(({ live }) => live.count > 0)
  }
}
