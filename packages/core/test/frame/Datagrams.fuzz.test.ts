import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { setImmediate } from "node:timers/promises"
import * as Datagram from "../../src/Datagram.ts"
import * as Frame from "../../src/Frame.ts"
import { FrameError } from "../../src/FrameError.ts"
import * as DatagramScanner from "../../src/frame/DatagramScanner.ts"
import * as DataFrame from "../../src/frame/DataFrame.ts"
import { frameBuffer, type FrameBuffer } from "../../src/frame/FrameBuffer.ts"
import * as FrameFault from "../../src/frame/FrameFault.ts"
import * as FrameType from "../../src/frame/FrameType.ts"
import * as HeaderDescriptor from "../../src/frame/HeaderDescriptor.ts"
import * as TermReader from "../../src/logbuffer/TermReader.ts"
import * as TermRebuilder from "../../src/logbuffer/TermRebuilder.ts"
import { HeapRegion } from "../../src/memory/HeapRegion.ts"
import { countOr, seed } from "../Peers.ts"
import { readAll } from "./captures.ts"
import { bytesInUse } from "./Heap.ts"
import { Mutator } from "./Mutator.ts"

const SHORT_COUNT = 20_000
const GENERATED_COUNT = 1000
/** The loop gives way after this many inputs, so that the runner hears from it. */
const SLICE = 5000
/** Noise of the heap between two collections. Keeping one byte an input would exceed it in the long form. */
const GROWTH_MAX = 8 * 1024 * 1024

const TERM_LENGTH = 64 * 1024
const term = new HeapRegion("term", TERM_LENGTH).buffer()

const generated = (): ReadonlyArray<Uint8Array> =>
  Effect.runSync(Arbitrary.sampleEffect(Arbitrary.schema(Frame.Frame), { count: GENERATED_COUNT, seed })).map(
    Frame.encode
  )

const captured = (): ReadonlyArray<Uint8Array> => {
  const distinct = new Map(readAll().map(({ payload }) => [Buffer.from(payload).toString("hex"), payload]))
  return [...distinct.values()]
}

/** Decodes as a tool does. Returns whether a whole datagram came of it. */
const decode = (bytes: Uint8Array): boolean => {
  const datagram = Datagram.decode(bytes)
  if (Result.isSuccess(datagram)) {
    assert.isTrue(equalBytes(Result.getOrThrow(Datagram.encode(datagram.success)), bytes))
  } else {
    assert.isTrue(datagram.failure instanceof FrameError)
  }
  const frame = Frame.decode(bytes)
  if (Result.isSuccess(frame)) {
    assert.isTrue(equalBytes(Frame.encode(frame.success), bytes))
  }
  return Result.isSuccess(datagram)
}

const equalBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

/** Takes a datagram as a receiver does: checks it, puts it into a term, reads it there. Returns the scanner's code. */
const receive = (buffer: FrameBuffer, length: number): number => {
  const code = DatagramScanner.validate(buffer, 0, length)
  const type = length < HeaderDescriptor.MIN_HEADER_LENGTH ? -1 : HeaderDescriptor.type(buffer, 0)
  if (code <= 0 || (type !== FrameType.DATA && type !== FrameType.PAD)) {
    return code
  }
  const termOffset = DataFrame.termOffset(buffer, 0)
  if (termOffset + code > TERM_LENGTH) {
    return code
  }
  assert.isTrue(TermRebuilder.insert(term, termOffset, buffer, 0, length))
  const cursor = new TermReader.TermCursor()
  cursor.termOffset = termOffset
  TermReader.read(term, 0, cursor, length, (_bytes, offset, payloadLength) => {
    assert.isTrue(offset >= termOffset && offset + payloadLength <= termOffset + length)
  })
  assert.strictEqual(cursor.termOffset, termOffset + code)
  term.bytes.fill(0, termOffset, termOffset + length)
  return code
}

describe("mutated datagrams", () => {
  it("are refused with a typed error or received to the byte, and nothing of them is kept", async () => {
    const mutator = new Mutator([...captured(), ...generated()], seed)
    const count = countOr(SHORT_COUNT)
    const warmUp = Math.min(count / 2, 100_000)
    const counts = { received: 0, unknown: 0, refused: 0 }
    let before = 0
    for (let index = 0; index < count; index++) {
      if (index % SLICE === 0) {
        await setImmediate()
      }
      if (index === warmUp) {
        before = await bytesInUse()
      }
      const bytes = mutator.input(index)
      try {
        const code = receive(frameBuffer(bytes), bytes.length)
        const isWhole = decode(bytes)
        assert.isTrue(code === FrameFault.UNKNOWN_TYPE || code >= 0 === isWhole)
        counts[code >= 0 ? "received" : isWhole ? "unknown" : "refused"]++
      } catch (thrown) {
        throw new Error(`seed ${seed}, input ${index}: ${Buffer.from(bytes).toString("hex")}`, { cause: thrown })
      }
    }
    const growth = (await bytesInUse()) - before
    console.log(`seed ${seed}: ${count} datagrams, ${JSON.stringify(counts)}, heap grew by ${growth} bytes`)
    assert.isTrue(growth < GROWTH_MAX, `the heap grew by ${growth} bytes`)
    assert.isTrue(counts.received > count / 20 && counts.refused > count / 20)
  })
})
