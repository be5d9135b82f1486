import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { NULL_COUNTER_ID } from "../../src/counters/CountersDescriptor.ts"
import { CountersManager } from "../../src/counters/CountersManager.ts"
import { type CounterRecord, CountersReader } from "../../src/counters/CountersReader.ts"
import { HeapRegion } from "../../src/memory/HeapRegion.ts"

const CAPACITY = 6
const REUSE_TIMEOUT_MS = 10

const int = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const Int64 = Schema.Literals([0n, 1n, -1n, 2n ** 62n, -(2n ** 63n), 2n ** 63n - 1n])
const Command = Schema.Union([
  Schema.Struct({
    op: Schema.Literal("allocate"),
    typeId: int(-5, 2000),
    label: Schema.Literals(["", "a", "snd-pos: 1", "größe", "x".repeat(380)]),
    key: Schema.Literals([0, 1, 20, 112]),
    value: Int64,
    registrationId: Int64,
    ownerId: Int64,
    referenceId: Int64
  }),
  Schema.Struct({ op: Schema.Literal("free"), index: int(0, CAPACITY - 1) }),
  Schema.Struct({ op: Schema.Literal("set"), index: int(0, CAPACITY - 1), value: Int64 }),
  Schema.Struct({ op: Schema.Literal("append"), index: int(0, CAPACITY - 1) }),
  Schema.Struct({ op: Schema.Literal("wait"), elapsedMs: int(1, 12) })
])
type Command = typeof Command.Type

/** Counters as maps: which ids are in use, and which were freed when. */
class CountersModel {
  nowMs = 1000
  readonly allocated = new Map<number, CounterRecord>()
  readonly freed: Array<{ readonly id: number; readonly deadlineMs: number }> = []
  private nextId = 0

  /** The first of the freed whose delay is over, else a new one. */
  takeId(): number {
    const index = this.freed.findIndex(({ deadlineMs }) => deadlineMs <= this.nowMs)
    if (index >= 0) {
      return this.freed.splice(index, 1)[0]!.id
    }
    return this.nextId < CAPACITY ? this.nextId++ : NULL_COUNTER_ID
  }

  /** The id at `index` among those in use. */
  pick(index: number): number | undefined {
    return [...this.allocated.keys()][index]
  }
}

const apply = (model: CountersModel, manager: CountersManager, command: Command): void => {
  if (command.op === "allocate") {
    const { op: _, key: keyLength, ...fields } = command
    const key = new Uint8Array(keyLength).fill(keyLength)
    const id = model.takeId()
    assert.strictEqual(manager.allocate({ ...fields, key }), id)
    if (id !== NULL_COUNTER_ID) {
      const wholeKey = new Uint8Array(112)
      wholeKey.set(key)
      model.allocated.set(id, { id, ...fields, key: wholeKey })
    }
    return
  }
  if (command.op === "wait") {
    model.nowMs += command.elapsedMs
    return
  }
  const id = model.pick(command.index)
  if (id === undefined) {
    return
  }
  const record = model.allocated.get(id)!
  if (command.op === "free") {
    manager.free(id)
    model.allocated.delete(id)
    model.freed.push({ id, deadlineMs: model.nowMs + REUSE_TIMEOUT_MS })
  } else if (command.op === "set") {
    manager.setValue(id, command.value)
    model.allocated.set(id, { ...record, value: command.value })
  } else {
    manager.appendToLabel(id, "+ö")
    const room = 380 - Buffer.byteLength(record.label)
    const suffix = room >= 3 ? "+ö" : room >= 1 ? "+" : ""
    model.allocated.set(id, { ...record, label: record.label + suffix })
  }
}

describe("counters against a model", () => {
  it.prop(
    "allocate, free and reuse as the model does, and read back what was put in",
    [Arbitrary.array(Arbitrary.schema(Command), { maxLength: 80 })],
    ([commands]) => {
      const metadata = new HeapRegion("metadata", CAPACITY * 512).buffer()
      const values = new HeapRegion("values", CAPACITY * 128).buffer()
      const model = new CountersModel()
      const manager = new CountersManager(metadata, values, () => model.nowMs, REUSE_TIMEOUT_MS)
      const reader = new CountersReader(metadata, values)
      for (const command of commands) {
        apply(model, manager, command)
        const expected = [...model.allocated.values()].toSorted((a, b) => a.id - b.id)
        const actual: Array<CounterRecord> = []
        reader.forEach((counter) => actual.push(counter))
        assert.deepStrictEqual(actual, expected)
      }
    },
    { arbitrary: { runs: 300, size: 80 } }
  )
})
