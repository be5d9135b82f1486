/**
 * How far one session has been recorded, and how far that is on the device. What comes of it next is judged by where it
 * stands: a session goes on exactly where its recording ends.
 */

/** Goes on where the recording ends, or says nothing else. */
export const NEXT = 0
/** Is recorded already. */
export const DUPLICATE = 1
/** Begins beyond the end of the recording. */
export const GAP = 2
/** Begins before the end of the recording and ends behind it: no message of the stream that was recorded does. */
export const ASTRIDE = 3

type Judgement = typeof NEXT | typeof DUPLICATE | typeof GAP | typeof ASTRIDE

/** Judges a message of a session that is recorded up to `recordedPosition`; undefined for one that has nothing yet. */
export const judge = (
  recordedPosition: number | undefined,
  startPosition: number | undefined,
  position: number
): Judgement => {
  if (recordedPosition === undefined) {
    return NEXT
  }
  if (position <= recordedPosition) {
    return DUPLICATE
  }
  if (startPosition === undefined || startPosition === recordedPosition) {
    return NEXT
  }
  return startPosition > recordedPosition ? GAP : ASTRIDE
}

/** Marks that are kept: of more puts than that between two syncs every second mark goes, and what is durable is seen later. */
const MARKS_MAX = 64

interface Mark {
  readonly logEnd: number
  readonly position: number
}

export class SessionProgress {
  readonly streamId: number
  readonly sessionId: number
  readonly queueId: number
  /** Where the first message that is kept begins; undefined where its source did not say. */
  startPosition: number | undefined = undefined
  /** Behind the last message that was recorded; undefined while there is none. */
  recordedPosition: number | undefined = undefined
  #durablePosition: number | undefined = undefined
  /** Where in the log each of the last puts ends, and where in the stream. */
  #marks: Array<Mark> = []

  constructor(streamId: number, sessionId: number, queueId: number) {
    this.streamId = streamId
    this.sessionId = sessionId
    this.queueId = queueId
  }

  /** Messages are in the log, up to `logEnd`, and up to `position` of the stream. Called once a put. */
  onRecorded(position: number, logEnd: number): void {
    this.recordedPosition = position
    this.#marks.push({ logEnd, position })
    if (this.#marks.length > MARKS_MAX) {
      this.#marks = this.#marks.filter((_, index) => index % 2 === 0)
    }
  }

  /** Up to where the recording is on the device, which has the log up to `flushedPosition`. */
  durablePosition(flushedPosition: number): number | undefined {
    const marks = this.#marks
    let count = 0
    while (count < marks.length && marks[count]!.logEnd <= flushedPosition) {
      this.#durablePosition = marks[count]!.position
      count++
    }
    marks.splice(0, count)
    return this.#durablePosition
  }
}
