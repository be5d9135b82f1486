/**
 * Compressed bodies, as RocketMQ's clients write them: zlib, LZ4 frames or Zstandard frames, told by bits of the sysFlag.
 * A body is data of somebody else: how long it becomes is bounded before it is unpacked.
 */
import * as Effect from "effect/Effect"
import type * as Lz4 from "lz4-napi"
import { createRequire } from "node:module"
import * as zlib from "node:zlib"
import * as SysFlag from "../commitlog/SysFlag.ts"

export type CompressionType = "LZ4" | "ZLIB" | "ZSTD"

/** The longest body that is unpacked. */
const BODY_LENGTH_MAX = 128 * 1024 * 1024

let loaded: typeof Lz4 | undefined

/** Loaded with the first LZ4 body: most programs never see one. */
const lz4 = (): typeof Lz4 => (loaded ??= createRequire(import.meta.url)("lz4-napi") as typeof Lz4)

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)

/** Bits of the sysFlag of a body that is compressed so. */
export const flagOf = (type: CompressionType): number =>
  SysFlag.COMPRESSED | (TYPES.indexOf(type) << SysFlag.COMPRESSION_TYPE_SHIFT)

/** By their number; 0 is what clients wrote before there was a choice. */
const TYPES: ReadonlyArray<CompressionType | undefined> = [undefined, "LZ4", "ZSTD", "ZLIB"]

export const compress = (body: Uint8Array, type: CompressionType, level: number): Uint8Array => {
  switch (type) {
    case "ZLIB":
      return zlib.deflateSync(body, { level: Math.min(9, level) })
    case "ZSTD":
      return zlib.zstdCompressSync(body, { params: { [zlib.constants.ZSTD_c_compressionLevel]: level } })
    case "LZ4":
      return lz4().compressFrameSync(bufferOf(body))
  }
}

/** The same in the thread pool. Nobody changes the body until it ends. */
export const compressAsync = (body: Uint8Array, type: CompressionType, level: number): Effect.Effect<Uint8Array> => {
  switch (type) {
    case "ZLIB":
      return inPool((done) => zlib.deflate(body, { level: Math.min(9, level) }, done))
    case "ZSTD": {
      const params = { [zlib.constants.ZSTD_c_compressionLevel]: level }
      return inPool((done) => zlib.zstdCompress(body, { params }, done))
    }
    case "LZ4":
      return Effect.promise(() => lz4().compressFrame(bufferOf(body)))
  }
}

const inPool = (start: (done: (error: Error | null, packed: Uint8Array) => void) => void): Effect.Effect<Uint8Array> =>
  Effect.callback((resume) => {
    start((error, packed) => resume(error === null ? Effect.succeed(packed) : Effect.die(error)))
  })

/** The body as it was before a client compressed it; itself where none has. Throws for what cannot be unpacked. */
export const decompress = (body: Uint8Array, sysFlag: number, lengthMax: number = BODY_LENGTH_MAX): Uint8Array => {
  if ((sysFlag & SysFlag.COMPRESSED) === 0) {
    return body
  }
  const number = (sysFlag & SysFlag.COMPRESSION_TYPE_MASK) >> SysFlag.COMPRESSION_TYPE_SHIFT
  const type = number === 0 ? "ZLIB" : TYPES[number]
  switch (type) {
    case "ZLIB":
      return zlib.inflateSync(body, { maxOutputLength: lengthMax })
    case "ZSTD":
      return zlib.zstdDecompressSync(body, { maxOutputLength: lengthMax })
    case "LZ4": {
      const bound = lz4LengthMax(body)
      if (bound > lengthMax) {
        throw new RangeError(`it may have ${bound} bytes, the limit is ${lengthMax}`)
      }
      return lz4().decompressFrameSync(bufferOf(body))
    }
    case undefined:
      throw new RangeError(`compression type ${number} is unknown`)
  }
}

const LZ4_DESCRIPTOR_OFFSET = 4
const LZ4_BLOCK_CHECKSUM = 1 << 4
const LZ4_CONTENT_SIZE = 1 << 3
const LZ4_DICTIONARY = 1 << 0
const LZ4_HEADER_LENGTH_MIN = 7
const LZ4_SIZE_MASK = 0x7fffffff
/** A block is at most 4^4, 4^5, 4^6 or 4^7 times 256 bytes long when it is unpacked. */
const blockLengthMax = (code: number): number => 256 * 4 ** code

/** How long the content of an LZ4 frame can be: its blocks, each as long as the frame allows. */
const lz4LengthMax = (frame: Uint8Array): number => {
  if (frame.length < LZ4_HEADER_LENGTH_MIN) {
    throw new RangeError(`an LZ4 frame of ${frame.length} bytes is cut short`)
  }
  const view = new DataView(frame.buffer, frame.byteOffset, frame.length)
  const flags = view.getUint8(LZ4_DESCRIPTOR_OFFSET)
  const blockMax = blockLengthMax((view.getUint8(LZ4_DESCRIPTOR_OFFSET + 1) >> 4) & 7)
  const trailer = flags & LZ4_BLOCK_CHECKSUM ? 4 : 0
  let at = LZ4_HEADER_LENGTH_MIN + (flags & LZ4_CONTENT_SIZE ? 8 : 0) + (flags & LZ4_DICTIONARY ? 4 : 0)
  let sum = 0
  while (at + 4 <= frame.length) {
    const length = view.getUint32(at, true) & LZ4_SIZE_MASK
    if (length === 0) {
      break
    }
    sum += blockMax
    at += 4 + length + trailer
  }
  return sum
}
