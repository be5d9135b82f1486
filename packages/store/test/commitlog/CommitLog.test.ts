import { describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { assert } from "vitest"
import { CommitLog, type Remains } from "../../src/commitlog/CommitLog.ts"
import * as HostAddress from "../../src/commitlog/HostAddress.ts"
import type { MessageInput } from "../../src/commitlog/MessageInput.ts"
import { RecordEncoder } from "../../src/commitlog/RecordEncoder.ts"
import * as Utf8 from "../../src/commitlog/Utf8.ts"
import { FileFailure, type StoreFile } from "../../src/mapped/FileSystem.ts"
import { MappedFileQueue } from "../../src/mapped/MappedFileQueue.ts"
import { MemoryFileSystem } from "../../src/mapped/MemoryFileSystem.ts"

const FILE_LENGTH = 1024
const STORE_TIME = 1_796_001_688_658
const host = HostAddress.parse("127.0.0.1:10911")!
const topic = Utf8.encode("topic")

/** Its files do not take what was written into their memory while it is so. */
class Unwilling extends MemoryFileSystem {
  isUnwilling = false

  override create(path: string, length: number): StoreFile {
    const file = super.create(path, length)
    const publish = file.publish.bind(file)
    file.publish = (offset, count) => {
      if (this.isUnwilling) {
        throw new FileFailure({ code: "EIO", operation: "write", path })
      }
      publish(offset, count)
    }
    return file
  }
}

const open = (fileSystem = new MemoryFileSystem(queueMicrotask)) => {
  const notes: Array<Remains | undefined> = []
  const files = new MappedFileQueue({
    fileSystem,
    directories: ["log"],
    fileLength: FILE_LENGTH,
    use: "log",
    reserveStep: 0,
    readOnly: false
  })
  const encoder = new RecordEncoder({ appendCrcProperty: true, defaultBornHost: host, defaultStoreHost: host })
  const note = { read: () => notes.at(-1), write: (remains: Remains | undefined) => void notes.push(remains) }
  return new CommitLog(files, encoder, note)
}

const bytesOf = ({ files }: CommitLog) => files.files.map(({ file }) => file.read(0, FILE_LENGTH).bytes.slice())

const Body = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 700 }))
const Text = Schema.Literals(["", "a", "key1 key2", "ä€", "\u{1f600}"])
const Messages = Schema.Array(Schema.Struct({ body: Body, keys: Text, tags: Text })).check(Schema.isMaxLength(12))

describe("CommitLog", () => {
  it.prop("writes the same bytes for messages that are put alone and together", { messages: Messages }, (sent) => {
    const messages = sent.messages.map(({ body, keys, tags }, index): MessageInput => ({
      topic: "topic",
      body: new Uint8Array(body).fill(index + 1),
      keys,
      tags
    }))
    const alone = open()
    const together = open()
    const at = messages.map((message, index) => alone.appendAlone(message, topic, index, STORE_TIME + index))
    const positions = messages.map((message, index) => together.append(message, topic, index, STORE_TIME + index))
    together.commit()
    assert.deepStrictEqual(at, positions)
    assert.strictEqual(alone.maxOffset, together.maxOffset)
    assert.deepStrictEqual(bytesOf(alone), bytesOf(together))
  })

  it("leaves nothing in the file of a message that cannot be encoded", () => {
    const log = open()
    log.appendAlone({ topic: "topic", body: Buffer.from("whole") }, topic, 0, STORE_TIME)
    const before = bytesOf(log)
    const broken: MessageInput = {
      topic: "topic",
      body: Buffer.from("half"),
      get wait(): boolean {
        throw new Error("not today")
      }
    }
    assert.throws(() => log.appendAlone(broken, topic, 1, STORE_TIME), "not today")
    assert.deepStrictEqual(bytesOf(log), before)
    log.appendAlone({ topic: "topic", body: Buffer.from("next") }, topic, 1, STORE_TIME)
    assert.notDeepEqual(bytesOf(log), before)
  })

  it("leaves nothing in the file of a message that the file does not take, and puts the next one in its place", () => {
    const fileSystem = new Unwilling(queueMicrotask)
    const log = open(fileSystem)
    const end = log.nextPosition
    fileSystem.isUnwilling = true
    assert.throws(() => log.appendAlone({ topic: "topic", body: Buffer.from("lost") }, topic, 0, STORE_TIME), "EIO")
    assert.deepStrictEqual(bytesOf(log), [new Uint8Array(FILE_LENGTH)])
    fileSystem.isUnwilling = false
    assert.strictEqual(log.appendAlone({ topic: "topic", body: Buffer.from("kept") }, topic, 0, STORE_TIME), end)
  })
})
