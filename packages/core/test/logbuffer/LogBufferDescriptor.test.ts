import { assert, describe, it } from "@effect/vitest"
import * as LogBufferDescriptor from "../../src/logbuffer/LogBufferDescriptor.ts"

const KIB = 1024
const MIB = 1024 * KIB
const GIB = 1024 * MIB

describe("LogBufferDescriptor", () => {
  it("gives a log of 16 MiB terms the length of Aeron's files", () => {
    assert.strictEqual(LogBufferDescriptor.computeLogLength(16 * MIB, 4096), 50_335_744)
  })

  it("rounds a log up to pages that are longer than its metadata", () => {
    assert.strictEqual(LogBufferDescriptor.computeLogLength(64 * KIB, 2 * MIB), 2 * MIB)
    assert.strictEqual(LogBufferDescriptor.computeLogLength(GIB, 4096), 3 * GIB + 4096)
  })

  it("takes term lengths that are powers of two from 64 KiB to 1 GiB", () => {
    assert.isTrue(LogBufferDescriptor.isTermLength(64 * KIB))
    assert.isTrue(LogBufferDescriptor.isTermLength(GIB))
    for (const length of [0, -1, 32 * KIB, 64 * KIB + 32, 2 * GIB, NaN, 2 ** 40]) {
      assert.isFalse(LogBufferDescriptor.isTermLength(length), String(length))
    }
  })

  it("takes an MTU that is a multiple of 32, holds payload and fits a datagram", () => {
    assert.isTrue(LogBufferDescriptor.isMtuLength(64))
    assert.isTrue(LogBufferDescriptor.isMtuLength(1408))
    assert.isTrue(LogBufferDescriptor.isMtuLength(65504))
    for (const length of [0, 32, 1400, 65536]) {
      assert.isFalse(LogBufferDescriptor.isMtuLength(length), String(length))
    }
  })

  it("limits a message to an eighth of a term and to 16 MiB", () => {
    assert.strictEqual(LogBufferDescriptor.maxMessageLength(64 * KIB), 8 * KIB)
    assert.strictEqual(LogBufferDescriptor.maxMessageLength(128 * MIB), 16 * MIB)
    assert.strictEqual(LogBufferDescriptor.maxMessageLength(GIB), 16 * MIB)
  })

  it("ends a stream with its term ids, or at 2^58 when that comes first", () => {
    assert.strictEqual(LogBufferDescriptor.positionMax(64 * KIB), 2 ** 47)
    assert.strictEqual(LogBufferDescriptor.positionMax(128 * MIB), 2 ** 58)
    assert.strictEqual(LogBufferDescriptor.positionMax(GIB), 2 ** 58)
  })

  it("counts terms over the wrap of term ids", () => {
    assert.strictEqual(LogBufferDescriptor.computeTermCount(-(2 ** 31), 2 ** 31 - 1), 1)
    assert.strictEqual(LogBufferDescriptor.computePosition(-(2 ** 31), 64, 64 * KIB, 2 ** 31 - 1), 64 * KIB + 64)
    assert.strictEqual(LogBufferDescriptor.computeTermId(64 * KIB + 64, 64 * KIB, 2 ** 31 - 1), -(2 ** 31))
  })

  it("computes positions beyond 2^53 without losing a frame", () => {
    const termCount = 2 ** 28 - 1
    const position = LogBufferDescriptor.computePosition(termCount, GIB - 32, GIB, 0)
    assert.strictEqual(BigInt(position), (BigInt(termCount) << 30n) + BigInt(GIB - 32))
    assert.strictEqual(LogBufferDescriptor.computeTermOffset(position, GIB), GIB - 32)
    assert.strictEqual(LogBufferDescriptor.computeTermId(position, GIB, 0), termCount)
    assert.strictEqual(LogBufferDescriptor.indexByPosition(position, GIB), termCount % 3)
  })

  it("keeps the partition of a term count that a peer overwrote in range", () => {
    for (const count of [-1, -2, -3, -(2 ** 31)]) {
      assert.include([0, 1, 2], LogBufferDescriptor.indexByTermCount(count))
    }
  })
})
