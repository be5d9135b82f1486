/** What is said of single files, whatever somebody has put into them or into the directories of a store. */
import { assert, describe, it } from "vitest"
import type { CommitLog } from "../../src/commitlog/CommitLog.ts"
import * as BatchEntry from "../../src/consumequeue/BatchEntryDescriptor.ts"
import * as EntryDescriptor from "../../src/consumequeue/EntryDescriptor.ts"
import * as ExtUnit from "../../src/consumequeue/ExtUnitDescriptor.ts"
import * as FileDump from "../../src/inspect/FileDump.ts"
import * as FileKind from "../../src/inspect/FileKind.ts"
import * as FileSurvey from "../../src/inspect/FileSurvey.ts"
import type { Finding } from "../../src/inspect/Finding.ts"
import { IndexCheck } from "../../src/inspect/IndexCheck.ts"
import type { IndexFileView } from "../../src/inspect/IndexWalk.ts"
import { verify } from "../../src/inspect/StoreVerify.ts"
import * as FileNaming from "../../src/mapped/FileNaming.ts"
import type { StoreFile } from "../../src/mapped/FileSystem.ts"
import { MemoryFileSystem } from "../../src/mapped/MemoryFileSystem.ts"
import { options, SimulatedStore } from "../fixtures/SimulatedStore.ts"

const fileOf = (length: number, write: (view: DataView) => void): StoreFile => {
  const file = new MemoryFileSystem((run) => run()).create("/file", length)
  write(file.claim(0, length).view)
  return file
}

const putEntry = (view: DataView, index: number, position: bigint, size: number): void => {
  const at = index * EntryDescriptor.LENGTH
  view.setBigInt64(at + EntryDescriptor.POSITION_OFFSET, position)
  view.setInt32(at + EntryDescriptor.SIZE_OFFSET, size)
}

describe("FileDump", () => {
  it("counts fillers in a row as one, in front of entries and at the end", () => {
    const file = fileOf(5 * EntryDescriptor.LENGTH, (view) => {
      for (const filler of [0, 1, 3, 4]) {
        putEntry(view, filler, 0n, EntryDescriptor.FILLER_SIZE)
      }
      putEntry(view, 2, 700n, 100)
    })
    assert.deepStrictEqual(
      [...FileDump.queue(file, 10 * EntryDescriptor.LENGTH)],
      [
        { kind: "fillers", queueOffset: 10, count: 2 },
        { kind: "entry", queueOffset: 12, position: 700, size: 100, tagsCode: 0 },
        { kind: "fillers", queueOffset: 13, count: 2 }
      ]
    )
  })

  it("reads a queue no further than to an entry that was never written", () => {
    const file = fileOf(3 * EntryDescriptor.LENGTH, (view) => putEntry(view, 0, 0n, EntryDescriptor.FILLER_SIZE))
    assert.deepStrictEqual(
      [...FileDump.queue(file, 0)],
      [
        { kind: "fillers", queueOffset: 0, count: 1 },
        { kind: "not written", queueOffset: 1, count: 2 }
      ]
    )
  })

  it("reads entries of batches up to the first that was never written", () => {
    const file = fileOf(3 * BatchEntry.LENGTH, (view) => {
      view.setBigInt64(BatchEntry.POSITION_OFFSET, 700n)
      view.setInt32(BatchEntry.SIZE_OFFSET, 100)
      view.setBigInt64(BatchEntry.BASE_OFFSET_OFFSET, 40n)
      view.setInt16(BatchEntry.COUNT_OFFSET, 3)
    })
    const lines = [...FileDump.batchQueue(file)]
    assert.lengthOf(lines, 1)
    assert.deepInclude(lines[0], { kind: "batch entry", position: 700, size: 100, queueOffset: 40, count: 3 })
    assert.lengthOf([...FileDump.batchQueue(fileOf(BatchEntry.LENGTH, (view) => view.setInt32(8, 1)))], 1)
  })

  it("says of an extended queue where what stands there is no unit", () => {
    const dump = (length: number) =>
      [
        ...FileDump.extendedQueue(
          fileOf(64, (view) => view.setInt16(ExtUnit.LENGTH_OFFSET, length)),
          640
        )
      ].map(({ kind }) => kind)
    assert.deepStrictEqual(dump(0), ["not written"])
    assert.deepStrictEqual(dump(ExtUnit.END_MARK), ["end"])
    // Too short, longer than its file, and of another length than its bits say.
    assert.deepStrictEqual([dump(1), dump(65), dump(ExtUnit.LENGTH_MIN + 8)], [["no unit"], ["no unit"], ["no unit"]])
  })
})

describe("FileKind", () => {
  it("is told by the name of a file and the directory three above it", () => {
    const name = FileNaming.format(0)
    const kinds = [
      `/store/commitlog/${name}`,
      `/store/consumequeue/topic/0/${name}`,
      `/store/batchconsumequeue/topic/0/${name}`,
      `/store/consumequeue_ext/topic/0/${name}`,
      `/${name}`,
      "/store/index/20261130012203852",
      "/store/config/topics.json",
      "/store/config/topics.json.bak",
      "/store/checkpoint",
      "/store/abort",
      "/store/holiday.jpg",
      ""
    ].map(FileKind.of)
    assert.deepStrictEqual(kinds, [
      "log",
      "queue",
      "batch queue",
      "extended queue",
      "log",
      "index",
      "json",
      "json",
      "checkpoint",
      "text",
      undefined,
      undefined
    ])
  })
})

describe("FileSurvey", () => {
  const LENGTH = options.mappedFileSizeCommitLog
  const logs = ["/store/commitlog", "/other"]
  const survey = (fileSystem: MemoryFileSystem) =>
    FileSurvey.survey(fileSystem, { ...options, storePathCommitLog: logs }).findings.map((finding) =>
      finding._tag === "FileForeign" ? `${finding.file}: ${finding.detail}` : finding._tag
    )
  const make = (): MemoryFileSystem => {
    const fileSystem = new MemoryFileSystem((run) => run())
    logs.forEach((directory) => fileSystem.makeDirectory(directory))
    return fileSystem
  }
  const logFile = (index: number, directory = 0) => `${logs[directory]}/${FileNaming.format(index * LENGTH)}`

  it("finds what is called as a file of the log and is none, and leaves other directories alone", () => {
    const fileSystem = make()
    fileSystem.create(logFile(0), LENGTH)
    fileSystem.create(logFile(0, 1), LENGTH)
    fileSystem.makeDirectory(logFile(1))
    fileSystem.makeDirectory(`${logs[0]}/lost+found`)
    fileSystem.create(`${logs[0]}/${FileNaming.format(LENGTH + 1)}`, LENGTH)
    assert.sameMembers(survey(fileSystem), [
      `${logFile(0, 1)}: another directory has a file of its name`,
      `${logFile(1)}: it is a directory`,
      `${logs[0]}/${FileNaming.format(LENGTH + 1)}: no file of ${LENGTH} bytes begins at ${LENGTH + 1}`
    ])
  })

  it("leaves files behind a gap alone that were never written, and misses those before one that was", () => {
    const fileSystem = make()
    fileSystem.create(logFile(0), LENGTH)
    const behind = fileSystem.create(logFile(2), LENGTH)
    assert.deepStrictEqual(survey(fileSystem), [])
    behind.write(0, Uint8Array.of(1), 1)
    assert.deepStrictEqual(survey(fileSystem), ["FileMissing"])
  })

  it("finds files where a topic holds only queues, and what is no file where the store reads one", () => {
    const fileSystem = make()
    fileSystem.replace("/store/consumequeue/topic/note", Uint8Array.of(1))
    fileSystem.makeDirectory("/store/consumequeue/topic")
    fileSystem.replace("/store/consumequeue/note", Uint8Array.of(1))
    fileSystem.makeDirectory("/store/abort")
    fileSystem.replace("/store/checkpoint", Uint8Array.of(1))
    assert.sameMembers(survey(fileSystem), [
      "/store/consumequeue/topic/note: a topic holds only directories named by queue id",
      "/store/abort: it is a directory",
      "FileLengthWrong"
    ])
  })

  it("finds nothing where there is no store", () => {
    assert.deepStrictEqual(survey(new MemoryFileSystem((run) => run())), [])
  })
})

describe("IndexCheck", () => {
  const check = (
    minOffset: number,
    entries: ReadonlyArray<readonly [hash: number, position: number, before: number]>
  ) => {
    const details: Array<string> = []
    const file = {
      path: "/index",
      slotCount: 4,
      indexCount: entries.length + 1,
      endPosition: 0,
      entryAt: (entry: number) => {
        const [keyHash, position, previous] = entries[entry - 1]!
        return { keyHash, position, timestamp: 0, previous }
      },
      slotAt: () => entries.length
    }
    const check = new IndexCheck({
      commitLog: { minOffset, files: { find: () => undefined } } as unknown as CommitLog,
      files: [file as unknown as IndexFileView],
      mayLag: false,
      onFinding: (finding) => finding._tag === "IndexWrong" && details.push(finding.detail)
    })
    assert.deepStrictEqual([...check.entries([], 10_000)], [])
    assert.strictEqual(check.entryCount, entries.length)
    return details
  }

  it("leaves entries alone whose records are gone with the beginning of the log", () => {
    assert.deepStrictEqual(check(1000, [[5, 999, 0]]), [])
    assert.deepStrictEqual(check(999, [[5, 999, 0]]), ["it leads to 999, where no record stands"])
  })

  it("finds entries with a hash that none is, and those that break the chain of their slot", () => {
    assert.deepStrictEqual(check(1000, [[-1, 0, 0]]), ["its hash is negative"])
    assert.deepStrictEqual(
      check(1000, [
        [5, 0, 0],
        [9, 0, 0]
      ]),
      ["the entry before it is said to be 0 and is 1"]
    )
    assert.deepStrictEqual(
      check(1000, [
        [5, 0, 0],
        [9, 0, 1]
      ]),
      []
    )
  })
})

describe("StoreVerify", () => {
  it("says how far it is while it reads a long log", () => {
    const store = new SimulatedStore(1, { mappedFileSizeCommitLog: 8 << 20, maxMessageSize: 4 << 20 }).open()
    for (let id = 0; id < 2; id++) {
      store.put({ topic: "topic", queueId: 0, body: new Uint8Array(3 << 20) })
      store.run(100)
    }
    const { checkpoint, commitLog, queues } = store.engine
    const survival = { isWrittenDurable: true, isWrittenInOrder: true, isCacheKept: true }
    const onFinding = (finding: Finding) => assert.fail(finding._tag)
    const files = { fileSystem: store.disk, root: "/store", checkpoint, commitLog, queues, indexFiles: [] }
    const parts = [...verify({ ...files, isOpen: true, survival, onFinding })]
    assert.deepStrictEqual(parts, [{ part: "log", done: commitLog.maxOffset }])
  })
})
