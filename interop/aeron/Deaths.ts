/**
 * Writers that die in a log, at each of their stores: the kill switch of the kernel's tests cuts them off there, and
 * what they have stored until then stays.
 */
import { KillSwitch } from "../../packages/core/test/logbuffer/killSwitch.ts"
import { makeLog, message } from "../../packages/core/test/logbuffer/testLog.ts"
import { BatchAppender, framedLength } from "../../packages/core/src/logbuffer/BatchAppender.ts"
import { ExclusiveTermAppender } from "../../packages/core/src/logbuffer/ExclusiveTermAppender.ts"
import type { LogBuffers } from "../../packages/core/src/logbuffer/LogBuffers.ts"
import { ADMIN_ACTION } from "../../packages/core/src/logbuffer/OfferResult.ts"
import { SlabAppender } from "../../packages/core/src/logbuffer/SlabAppender.ts"
import { TermAppender } from "../../packages/core/src/logbuffer/TermAppender.ts"

/** Longest frame of the logs: a long message takes three. */
export const MTU_LENGTH = 256

interface Writer {
  readonly write: (log: LogBuffers) => number
  /** Bytes of its one claim. */
  readonly claimLength: number
  /** Whether it publishes fragment by fragment, so that those before its death stay. */
  readonly isFragmented: boolean
  readonly isExclusive: boolean
}

export type WriterName = keyof typeof WRITERS

export interface Death {
  readonly writer: WriterName
  /** How many stores into the terms it has made. With 0 it has moved the tail and nothing else. */
  readonly steps: number
}

const BATCH = [message(1, 40), message(2, 8), message(3, 100)]
const LONG_BATCH = [1, 2, 3, 4].map((seed) => message(seed, MTU_LENGTH - 32))
/** Payload that a reader would take for frames if it came to stand in it. */
const FRAMES = BATCH.map(() => new Uint8Array(new Int32Array(32).fill(64).buffer))
const FRAGMENTS = [message(1, 224), message(2, 224), message(3, 52)]

const lengthOf = (messages: ReadonlyArray<Uint8Array>): number =>
  messages.reduce((sum, { length }) => sum + framedLength(length), 0)

/** Appends, again in the next term when the active one has no room. */
export const append = (attempt: () => number): number => {
  let position: number
  do {
    position = attempt()
  } while (position === ADMIN_ACTION)
  return position
}

const ordinary = { isFragmented: false, isExclusive: false }

const batchOf = (messages: ReadonlyArray<Uint8Array>): Writer => ({
  ...ordinary,
  claimLength: lengthOf(messages),
  write: (log) => {
    const batch = new BatchAppender(new TermAppender(log))
    return append(() => batch.appendAll(messages, 0, messages.length))
  }
})

const BATCH_CLAIM_LENGTH = 640

/** Message by message into a claim that is longer than they are. */
const writeBegun = (log: LogBuffers): number => {
  const batch = new BatchAppender(new TermAppender(log))
  const position = append(() => batch.begin(BATCH_CLAIM_LENGTH))
  for (const payload of BATCH) {
    batch.put(payload, 0, payload.length)
  }
  batch.commit()
  return position
}

const writeSlab = (log: LogBuffers): number => {
  const slab = message(4, 200)
  const batch = new SlabAppender(new TermAppender(log))
  return append(() => batch.appendSlab(slab, Int32Array.of(0, 40, 48), Int32Array.of(40, 8, 100), 0, 3))
}

export const WRITERS = {
  message: {
    ...ordinary,
    claimLength: framedLength(100),
    write: (log) => {
      const appender = new TermAppender(log)
      return append(() => appender.append(message(1, 100), 0, 100))
    }
  },
  "message with a reserved value": {
    ...ordinary,
    claimLength: framedLength(9),
    write: (log) => {
      const appender = new TermAppender(log)
      return append(() => appender.append(message(1, 9), 0, 9, () => -1n))
    }
  },
  "message of three fragments": {
    ...ordinary,
    isFragmented: true,
    claimLength: lengthOf(FRAGMENTS),
    write: (log) => {
      const appender = new TermAppender(log)
      return append(() => appender.appendVector(FRAGMENTS))
    }
  },
  batch: batchOf(BATCH),
  "long batch": batchOf(LONG_BATCH),
  "batch of payload that looks like frames": batchOf(FRAMES),
  "batch shorter than its claim": { ...ordinary, claimLength: BATCH_CLAIM_LENGTH, write: writeBegun },
  "batch of one slab": { ...ordinary, claimLength: lengthOf(BATCH), write: writeSlab },
  "exclusive message": {
    ...ordinary,
    isExclusive: true,
    claimLength: framedLength(100),
    write: (log) => {
      const appender = new ExclusiveTermAppender(log)
      return append(() => appender.append(message(1, 100), 0, 100))
    }
  },
  "exclusive batch": {
    ...ordinary,
    isExclusive: true,
    claimLength: lengthOf(BATCH),
    write: (log) => {
      const batch = new BatchAppender(new ExclusiveTermAppender(log))
      return append(() => batch.appendAll(BATCH, 0, BATCH.length))
    }
  }
} as const satisfies Record<string, Writer>

/** Lets a writer die in a log. @returns false when it came to its end before */
export const die = (log: LogBuffers, { steps, writer }: Death): boolean => {
  const killSwitch = new KillSwitch(log)
  return killSwitch.run(steps, () => WRITERS[writer].write(killSwitch.log))
}

/** Every death of a writer in a log that `before` has prepared. */
export const deathsOf = (writer: WriterName, before: () => LogBuffers): ReadonlyArray<Death> => {
  const deaths: Array<Death> = []
  for (let steps = 0; die(before(), { writer, steps }); steps++) {
    deaths.push({ writer, steps })
  }
  return deaths
}

/** An empty log whose stream begins at `termOffset`. */
export const emptyLog = (termOffset: number): LogBuffers => makeLog({ termOffset, mtuLength: MTU_LENGTH })
