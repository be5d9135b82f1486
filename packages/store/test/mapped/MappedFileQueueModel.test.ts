/** A mapped queue does what a list of numbers does: where it begins, where it ends, which files there are. */
import { describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { assert } from "vitest"
import { MappedFileQueue } from "../../src/mapped/MappedFileQueue.ts"
import { MemoryFileSystem } from "../../src/mapped/MemoryFileSystem.ts"

const LENGTH = 100
const DIRECTORIES = ["/a", "/b", "/c"]

const Step = Schema.Union([
  Schema.Struct({
    kind: Schema.Literals(["write", "cut", "flush"]),
    count: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 * LENGTH }))
  }),
  Schema.Struct({ kind: Schema.Literals(["remove first", "make ahead", "reopen"]) })
])

/** What a queue is made of: a first position, an end, and a position up to which it is on the device. */
interface Model {
  begin: number
  end: number
  flushed: number
  /** Whether there is any file. */
  isBegun: boolean
}

class Subject {
  readonly #pending: Array<() => void> = []
  readonly #fileSystem = new MemoryFileSystem((run) => this.#pending.push(run))
  queue: MappedFileQueue
  model: Model

  constructor(from: number) {
    DIRECTORIES.forEach((directory) => this.#fileSystem.makeDirectory(directory))
    this.queue = this.#make()
    const begin = from * LENGTH
    this.model = { begin, end: begin, flushed: 0, isBegun: false }
  }

  #make(): MappedFileQueue {
    const options = { fileLength: LENGTH, use: "log", reserveStep: 0, readOnly: false } as const
    return new MappedFileQueue({ fileSystem: this.#fileSystem, directories: DIRECTORIES, ...options })
  }

  write(count: number): void {
    const { model, queue } = this
    for (let left = count; left > 0;) {
      const file = queue.fileForAppend(model.end)
      assert.strictEqual(file.fromOffset + file.wrotePosition, model.end)
      const length = Math.min(left, LENGTH - file.wrotePosition)
      const { base, bytes } = file.claim(file.wrotePosition, length)
      bytes.fill(1 + ((file.fromOffset / LENGTH) % 250), file.wrotePosition - base, file.wrotePosition - base + length)
      file.wrotePosition += length
      model.end += length
      model.isBegun = true
      left -= length
    }
  }

  cut(count: number): void {
    const { model, queue } = this
    const to = Math.max(model.begin, model.end - count)
    queue.truncate(to)
    model.end = to
    model.flushed = Math.min(model.flushed, to)
  }

  flush(count: number): void {
    const { model, queue } = this
    for (let left = Math.floor(count / LENGTH) + 1; left > 0; left--) {
      const file = queue.fileToFlush(0)
      if (file === undefined) {
        return
      }
      assert.isAtMost(file.fromOffset, model.end)
      queue.onFlushed(file, file.wrotePosition)
      model.flushed = file.fromOffset + file.wrotePosition
    }
  }

  removeFirst(): void {
    const { model, queue } = this
    if (queue.files.length > 1) {
      queue.removeFirst()
      model.begin += LENGTH
    }
  }

  makeAhead(): void {
    if (this.model.isBegun) {
      this.queue.createAhead()
    }
  }

  /** As recovery does: files count as full, and then it says where the queue ends. */
  reopen(): void {
    const { model, queue } = this
    queue.close()
    this.#pending.splice(0).forEach((run) => run())
    this.queue = this.#make()
    this.queue.load()
    if (model.isBegun) {
      this.queue.truncate(model.end)
      model.flushed = model.end
      this.queue.flushedWhere = model.end
    }
  }

  check(): void {
    const { model, queue } = this
    const names = DIRECTORIES.flatMap((directory) =>
      this.#fileSystem.entries(directory)!.map(({ name }) => [directory, Number(name)] as const)
    )
    if (!model.isBegun) {
      assert.deepStrictEqual(names, [])
      assert.strictEqual(queue.maxOffset, 0)
      return
    }
    assert.strictEqual(queue.minOffset, model.begin)
    assert.strictEqual(queue.maxOffset, model.end)
    for (const [directory, position] of names) {
      assert.strictEqual(directory, DIRECTORIES[(position / LENGTH) % DIRECTORIES.length])
    }
    const known = queue.files.map(({ fromOffset }) => fromOffset)
    assert.isTrue(known.every((from, index) => from === model.begin + index * LENGTH))
    for (const position of [model.begin - 1, model.begin, (model.begin + model.end) >> 1, model.end - 1]) {
      const file = queue.find(position)
      if (position < model.begin) {
        assert.isUndefined(file)
      } else if (position < model.end) {
        assert.strictEqual(file!.fromOffset, Math.floor(position / LENGTH) * LENGTH)
        const offset = position - file!.fromOffset
        const { base, bytes } = file!.read(offset, 1)
        assert.strictEqual(bytes[offset - base], 1 + ((file!.fromOffset / LENGTH) % 250))
      }
    }
    const flushed = Math.max(model.flushed, model.begin)
    assert.strictEqual(queue.fileToFlush(0) === undefined, flushed >= model.end)
    assert.isAtMost(queue.flushedWhere, flushed)
  }
}

describe("MappedFileQueue beside a model", () => {
  it.prop(
    "begins, ends, finds, flushes and names its files as the model does, whatever is done to it",
    { from: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 })), steps: Schema.Array(Step) },
    ({ from, steps }) => {
      const subject = new Subject(from)
      for (const step of steps) {
        switch (step.kind) {
          case "write":
            subject.write(step.count)
            break
          case "cut":
            subject.cut(step.count)
            break
          case "flush":
            subject.flush(step.count)
            break
          case "remove first":
            subject.removeFirst()
            break
          case "make ahead":
            subject.makeAhead()
            break
          case "reopen":
            subject.reopen()
        }
        subject.check()
      }
    }
  )
})
