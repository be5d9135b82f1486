import { assert, describe, it } from "@effect/vitest"
import type * as Inspect from "@millrace/store/Inspect"
import { TIME_MS, writer } from "./samples.ts"
import * as StoreSample from "../../src/top/StoreSample.ts"

const queue = (queueId: number, minOffset: number, maxOffset: number) => ({
  queueId,
  minOffset,
  maxOffset,
  nextOffset: maxOffset
})

const observation = (end: number, offset: number): Inspect.Observation => ({
  directory: "/s",
  isOpen: true,
  pid: 1,
  writer: null,
  minPosition: 100,
  maxPosition: 1000 + end,
  logFiles: 1,
  logFileLength: 1 << 20,
  firstStoreTimestamp: 1,
  topics: 1,
  queues: 2,
  messages: end + 10 - 4,
  queueFileLength: 6_000_000,
  extendedQueues: 0,
  extendedQueueBytes: 0,
  indexFiles: 0,
  indexSlots: 1,
  indexEntries: 1,
  logFlushedTimestamp: 4000,
  queuesFlushedTimestamp: 0,
  indexFlushedTimestamp: 9000,
  freeBytes: 1,
  totalBytes: 2,
  dispatchBehindBytes: 32,
  lastStoreTimestamp: 5000,
  byTopic: [{ topic: "t", queues: [queue(0, 4, 10), queue(1, 0, end)] }],
  consumers: [
    { group: "slow", topic: "t", queueId: 0, offset: 1, maxOffset: 10 },
    { group: "slow", topic: "t", queueId: 1, offset, maxOffset: end },
    { group: "quick", topic: "t", queueId: 0, offset: 12, maxOffset: 10 }
  ]
})

describe("StoreSample", () => {
  const first = StoreSample.of(observation(100, 50), TIME_MS, 0, undefined)
  const second = StoreSample.of(observation(300, 150), TIME_MS, 2000, first)

  it("has no rates before there is a sample to compare with", () => {
    assert.deepInclude(first, { messagesPerSecond: null, bytesPerSecond: null })
    assert.isNull(first.topics[0]!.messagesPerSecond)
  })

  it("counts messages, bytes and what groups consumed a second", () => {
    assert.deepInclude(second, { messagesPerSecond: 100, bytesPerSecond: 100 })
    assert.strictEqual(second.topics[0]!.messagesPerSecond, 100)
    assert.strictEqual(second.groups[0]!.messagesPerSecond, 50)
  })

  it("gives a topic the lag of the group that is furthest behind; a group beyond the end has none", () => {
    assert.deepInclude(second.groups[0], { group: "slow", queues: 2, lag: 159 })
    assert.deepInclude(second.groups[1], { group: "quick", lag: 0 })
    assert.deepInclude(second.topics[0], { messages: 306, endOffset: 310, lag: 159 })
  })

  it("says how old the newest record on the device is beside the newest of all", () => {
    assert.deepInclude(second, { flushBehindMs: 1000, queueFlushBehindMs: null, indexFlushBehindMs: 0 })
  })

  it("has the rates of the writer by what it wrote of itself, and those before while it has not written anew", () => {
    const figures = writer().figures
    const at = (seconds: number, puts: number) => ({
      ...figures,
      writtenAt: figures.writtenAt + seconds * 1000,
      putMessageCount: figures.putMessageCount + puts
    })
    const sampled = (now: Inspect.WriterFigures, previous?: StoreSample.StoreSample) =>
      StoreSample.of({ ...observation(1, 1), writer: now }, TIME_MS, 1000, previous)
    const one = sampled(at(0, 0))
    assert.isNull(one.writer!.rates)
    assert.strictEqual(one.dispatchBehindBytes, 32)
    assert.strictEqual(sampled({ ...figures, dispatchBehindBytes: 7 }).dispatchBehindBytes, 7)
    const two = sampled(at(2, 3000), one)
    assert.strictEqual(two.writer!.rates!.putMessages, 1500)
    assert.strictEqual(sampled(at(2, 3000), two).writer!.rates!.putMessages, 1500)
    const anotherProcess = { ...at(3, -figures.putMessageCount), openedAt: figures.openedAt + 1 }
    assert.isNull(sampled(anotherProcess, two).writer!.rates)
    assert.strictEqual(sampled({ ...figures, dispatchBehindBytes: 7, isLive: false }, two).dispatchBehindBytes, 32)
  })

  it("counts a topic that is new from its first sample on", () => {
    const now = observation(300, 150)
    const more = { ...now, byTopic: [...now.byTopic, { topic: "new", queues: [queue(0, 0, 7)] }] }
    assert.isNull(StoreSample.of(more, TIME_MS, 1000, second).topics[1]!.messagesPerSecond)
  })
})
