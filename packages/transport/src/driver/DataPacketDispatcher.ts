/**
 * Decides what a frame from the network is for: an image that is there, a stream that somebody wants and that has to be
 * set up first, or nothing. One dispatcher an endpoint.
 *
 *     (unknown) ──► PendingSetup ──► InitInProgress ──► image
 *         │                                               │ lost
 *         └──► NoInterest                                 └──► CoolDown ──► (unknown)
 *
 * Sessions that are not images are remembered, 1,024 a stream at most; beyond that the oldest is forgotten. Who sends
 * from ever new sessions makes the driver neither grow nor answer more than once for each.
 */
import * as DataFrame from "@millrace/core/kernel/frame/DataFrame"
import type { FrameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import * as SetupFrame from "@millrace/core/kernel/frame/SetupFrame"
import type { SocketAddress } from "../channel/SocketAddress.ts"
import type { ReceivedImage } from "./ReceivedImage.ts"

export type SessionState = "PendingSetup" | "InitInProgress" | "CoolDown" | "NoInterest"

export const SESSION_STATES_MAX = 1024

class StreamInterest {
  isAllSessions = false
  readonly wantedSessions = new Set<number>()
  readonly states = new Map<number, SessionState>()
  readonly images = new Map<number, ReceivedImage>()

  wants(sessionId: number): boolean {
    return this.isAllSessions || this.wantedSessions.has(sessionId)
  }

  get isUnwanted(): boolean {
    return !this.isAllSessions && this.wantedSessions.size === 0
  }
}

export interface DispatcherListener {
  /** Data of a stream that is wanted and not known: its source is to be asked for a SETUP. */
  onUnknownStream(sessionId: number, streamId: number, source: SocketAddress): void
  /** A SETUP of a stream that is wanted: an image is to be made. */
  onSetup(buffer: FrameBuffer, offset: number, source: SocketAddress): void
  /** A session was forgotten, because there are too many. */
  onEvicted(): void
  /** A SETUP was ignored, because the stream has as many images as it may have. */
  onSessionLimit(streamId: number): void
}

export class DataPacketDispatcher {
  private readonly listener: DispatcherListener
  private readonly sessionLimit: number
  private readonly streams = new Map<number, StreamInterest>()

  constructor(listener: DispatcherListener, sessionLimit: number) {
    this.listener = listener
    this.sessionLimit = sessionLimit
  }

  /** All sessions of the stream are wanted, or one more of them. */
  addSubscription(streamId: number, sessionId: number | undefined): void {
    const stream = this.streams.get(streamId) ?? new StreamInterest()
    this.streams.set(streamId, stream)
    if (sessionId === undefined) {
      stream.isAllSessions = true
      this.forget(stream, (_session, state) => state === "NoInterest")
    } else {
      stream.wantedSessions.add(sessionId)
      this.forget(stream, (session, state) => session === sessionId && state === "NoInterest")
    }
  }

  removeSubscription(streamId: number, sessionId: number | undefined): void {
    const stream = this.streams.get(streamId)
    if (stream === undefined) {
      return
    }
    if (sessionId === undefined) {
      stream.isAllSessions = false
    } else {
      stream.wantedSessions.delete(sessionId)
    }
    for (const [session, image] of stream.images) {
      if (!stream.wants(session)) {
        stream.images.delete(session)
        image.deactivate()
      }
    }
    this.forget(stream, (session) => !stream.wants(session))
    if (stream.isUnwanted) {
      this.streams.delete(streamId)
    }
  }

  addImage(image: ReceivedImage): void {
    const stream = this.streams.get(image.streamId)
    if (stream !== undefined) {
      stream.states.delete(image.sessionId)
      stream.images.set(image.sessionId, image)
    }
  }

  /** The image's source is silent: what still comes from it is ignored until its subscribers have read to the end. */
  removeImage(image: ReceivedImage): void {
    const stream = this.streams.get(image.streamId)
    if (stream?.images.get(image.sessionId) === image) {
      stream.images.delete(image.sessionId)
      if (!image.isEndOfStream) {
        this.remember(stream, image.sessionId, "CoolDown")
      }
    }
    image.deactivate()
  }

  /** The session becomes unknown again, if it is in this state. */
  removeState(sessionId: number, streamId: number, state: SessionState): void {
    const stream = this.streams.get(streamId)
    if (stream?.states.get(sessionId) === state) {
      stream.states.delete(sessionId)
    }
  }

  findImage(streamId: number, sessionId: number): ReceivedImage | undefined {
    return this.streams.get(streamId)?.images.get(sessionId)
  }

  /** True when the frame was more than a sign of life. */
  onData(
    buffer: FrameBuffer,
    offset: number,
    length: number,
    covered: number,
    source: SocketAddress,
    nowNs: number
  ): boolean {
    const streamId = DataFrame.streamId(buffer, offset)
    const stream = this.streams.get(streamId)
    if (stream === undefined) {
      return false
    }
    const sessionId = DataFrame.sessionId(buffer, offset)
    const image = stream.images.get(sessionId)
    if (image !== undefined) {
      return image.insertPacket(buffer, offset, length, covered, nowNs)
    }
    if (!stream.states.has(sessionId) && !DataFrame.isEndOfStream(buffer, offset)) {
      if (stream.wants(sessionId)) {
        this.remember(stream, sessionId, "PendingSetup")
        this.listener.onUnknownStream(sessionId, streamId, source)
      } else {
        this.remember(stream, sessionId, "NoInterest")
      }
    }
    return false
  }

  /** True when an image is to be made. */
  onSetup(buffer: FrameBuffer, offset: number, source: SocketAddress): boolean {
    const stream = this.streams.get(SetupFrame.streamId(buffer, offset))
    const sessionId = SetupFrame.sessionId(buffer, offset)
    if (stream === undefined || stream.images.has(sessionId)) {
      return false
    }
    const state = stream.states.get(sessionId)
    if (state !== undefined && state !== "PendingSetup") {
      return false
    }
    if (!stream.wants(sessionId)) {
      this.remember(stream, sessionId, "NoInterest")
    } else if (this.hasRoom(stream)) {
      this.remember(stream, sessionId, "InitInProgress")
      this.listener.onSetup(buffer, offset, source)
      return true
    } else {
      this.listener.onSessionLimit(SetupFrame.streamId(buffer, offset))
    }
    return false
  }

  /** Images that are being made count as well. */
  private hasRoom(stream: StreamInterest): boolean {
    let count = stream.images.size
    if (count + stream.states.size >= this.sessionLimit) {
      for (const state of stream.states.values()) {
        count += state === "InitInProgress" ? 1 : 0
      }
    }
    return count < this.sessionLimit
  }

  private remember(stream: StreamInterest, sessionId: number, state: SessionState): void {
    stream.states.delete(sessionId)
    if (stream.states.size >= SESSION_STATES_MAX) {
      this.evictOldest(stream)
    }
    stream.states.set(sessionId, state)
  }

  /** Not one whose image is being made: its next SETUP would have another made. Of these there are few. */
  private evictOldest(stream: StreamInterest): void {
    for (const [sessionId, state] of stream.states) {
      if (state !== "InitInProgress") {
        stream.states.delete(sessionId)
        this.listener.onEvicted()
        return
      }
    }
  }

  private forget(stream: StreamInterest, which: (sessionId: number, state: SessionState) => boolean): void {
    for (const [sessionId, state] of stream.states) {
      if (which(sessionId, state)) {
        stream.states.delete(sessionId)
      }
    }
  }
}
