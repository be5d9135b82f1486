/**
 * Puts the fragments of long messages together, each session for itself.
 *
 * A message is taken only whole and in order: its fragments follow each other without a gap in positions, begin with
 * BEGIN and end with END. After a gap (PAD in place of lost data, a subscriber that joined in the middle) what was
 * collected is dropped, counted in `droppedCount`, and the next BEGIN starts anew.
 *
 * Limits: a message is at most `maxMessageLength` bytes, and at most `sessionsMax` sessions may be in the middle of
 * one. Beyond either, the message is dropped and counted.
 */
import * as FrameFlags from "../frame/FrameFlags.ts"
import { assert } from "../memory/Assert.ts"
import * as Bytes from "../memory/Bytes.ts"
import * as F from "./FrameDescriptor.ts"
import { FragmentHeader } from "./FragmentHeader.ts"

/** What became of a fragment. */
export const PARTIAL = 0
/** The message is whole: `bytes`, `length` and `header` of the assembler hold it until the next call. */
export const COMPLETE = 1
/** The fragment belongs to no message whose beginning was seen, or the message is beyond a limit. */
export const DROPPED = 2

const SLAB_LENGTH_MIN = 4096

/** The message of one session that is being collected. */
class Assembly {
  slab = new Uint8Array(SLAB_LENGTH_MIN)
  length = 0
  isCollecting = false
  /** The position at which the next fragment has to begin. */
  nextPosition = 0
  readonly header = new FragmentHeader()
}

export interface FragmentAssemblerOptions {
  readonly maxMessageLength: number
  /** Default 1024. */
  readonly sessionsMax?: number
}

export class FragmentAssembler {
  /** The message that the last call completed. The bytes are valid until the next call for the same session. */
  bytes = new Uint8Array(0)
  length = 0
  readonly header = new FragmentHeader()
  /** Messages whose beginning was seen and which were given up: a gap in them, or beyond a limit. */
  droppedCount = 0
  private readonly maxMessageLength: number
  private readonly sessionsMax: number
  private readonly assemblies = new Map<number, Assembly>()
  /** What the last call completed, and how long its last fragment was. */
  private completed: Assembly | undefined = undefined
  private lastFragmentLength = 0

  constructor(options: FragmentAssemblerOptions) {
    assert(options.maxMessageLength > 0, "an assembler takes messages of at least one byte")
    this.maxMessageLength = options.maxMessageLength
    this.sessionsMax = options.sessionsMax ?? 1024
  }

  /** Takes a fragment: a frame whose flags are not BEGIN and END at once. @returns PARTIAL, COMPLETE or DROPPED */
  onFragment(source: Uint8Array<ArrayBufferLike>, offset: number, length: number, header: FragmentHeader): number {
    const beginPosition = header.position - F.alignFrame(length + F.HEADER_LENGTH)
    this.completed = undefined
    if (FrameFlags.has(header.flags, FrameFlags.BEGIN)) {
      const assembly = this.assemblyOf(header.sessionId)
      if (assembly === undefined) {
        this.droppedCount += 1
        return DROPPED
      }
      if (assembly.isCollecting) {
        this.drop(assembly)
      }
      assembly.isCollecting = true
      assembly.length = 0
      assembly.header.copyFrom(header)
      return this.collect(assembly, source, offset, length, header)
    }
    const assembly = this.assemblies.get(header.sessionId)
    if (assembly === undefined || !assembly.isCollecting) {
      return DROPPED
    }
    if (assembly.nextPosition !== beginPosition) {
      this.drop(assembly)
      return DROPPED
    }
    return this.collect(assembly, source, offset, length, header)
  }

  /**
   * Takes the last fragment off the message that the last call completed: the message is incomplete again, and that
   * fragment is to come once more. @returns its length
   */
  retract(): number {
    const assembly = this.completed
    assert(assembly !== undefined, "a fragment is taken back that did not complete a message")
    this.completed = undefined
    assembly.length -= this.lastFragmentLength
    assembly.nextPosition -= F.alignFrame(this.lastFragmentLength + F.HEADER_LENGTH)
    assembly.isCollecting = true
    return this.lastFragmentLength
  }

  /** Gives up the message of a session that is incomplete, if there is one: its next fragment will not come. */
  abandon(sessionId: number): void {
    const assembly = this.assemblies.get(sessionId)
    if (assembly !== undefined && assembly.isCollecting) {
      this.drop(assembly)
    }
  }

  /** Forgets a session: its image is gone. @returns true when a message of it was incomplete */
  freeSession(sessionId: number): boolean {
    const assembly = this.assemblies.get(sessionId)
    this.assemblies.delete(sessionId)
    return assembly !== undefined && assembly.isCollecting
  }

  clear(): void {
    this.assemblies.clear()
  }

  private assemblyOf(sessionId: number): Assembly | undefined {
    let assembly = this.assemblies.get(sessionId)
    if (assembly === undefined && this.assemblies.size < this.sessionsMax) {
      assembly = new Assembly()
      this.assemblies.set(sessionId, assembly)
    }
    return assembly
  }

  private collect(
    assembly: Assembly,
    source: Uint8Array<ArrayBufferLike>,
    offset: number,
    length: number,
    header: FragmentHeader
  ): number {
    const newLength = assembly.length + length
    if (newLength > this.maxMessageLength) {
      this.drop(assembly)
      return DROPPED
    }
    if (newLength > assembly.slab.length) {
      this.grow(assembly, newLength)
    }
    Bytes.copy(source, offset, assembly.slab, assembly.length, length)
    assembly.length = newLength
    assembly.nextPosition = header.position
    if (!FrameFlags.has(header.flags, FrameFlags.END)) {
      return PARTIAL
    }
    assembly.isCollecting = false
    this.completed = assembly
    this.lastFragmentLength = length
    this.bytes = assembly.slab
    this.length = newLength
    this.header.copyFrom(assembly.header)
    this.header.complete(header)
    return COMPLETE
  }

  private grow(assembly: Assembly, length: number): void {
    let capacity = assembly.slab.length
    while (capacity < length) {
      capacity *= 2
    }
    const slab = new Uint8Array(Math.min(capacity, Math.max(this.maxMessageLength, SLAB_LENGTH_MIN)))
    slab.set(assembly.slab.subarray(0, assembly.length))
    assembly.slab = slab
  }

  private drop(assembly: Assembly): void {
    assembly.isCollecting = false
    this.droppedCount += 1
  }
}
