import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { assert } from "vitest"
import * as Inspect from "../../src/Inspect.ts"
import * as MessageStore from "../../src/MessageStore.ts"
import * as RepairPlan from "../../src/recovery/RepairPlan.ts"
import * as Repair from "../../src/Repair.ts"
import {
  all,
  FILE_LENGTH,
  filled,
  flip,
  idsOf,
  message,
  overwrite,
  reasonOf,
  using,
  without
} from "../fixtures/DamagedStore.ts"
import { SimulatedStore } from "../fixtures/SimulatedStore.ts"
import * as Temporary from "../fixtures/Temporary.ts"

describe("repair", () => {
  it.effect("keeps all records around damage of any kind, and the store opens, agrees and takes more", () =>
    Effect.gen(function* () {
      const { backup, directory, results } = yield* filled
      const [torn, strange, flipped] = [30, 60, 97]
      const at = (id: number) => results[id]!
      overwrite(directory, at(torn).position + 10, new Uint8Array(at(torn).length - 20))
      overwrite(directory, at(strange).position, Buffer.alloc(at(strange).length, 0xda))
      flip(directory, at(flipped).position + 130)
      const before = new Map(Temporary.contentOf(directory))
      assert.strictEqual(yield* reasonOf(using(directory, Effect.void)), "CorruptLog")
      const { choices, damages } = yield* Repair.plan({ directory })
      assert.deepStrictEqual(
        damages.map(({ end, position }) => [position, end]),
        [torn, strange, flipped].map((id) => [at(id).position, at(id).position + at(id).length])
      )
      assert.deepStrictEqual(
        choices.map(({ name, recordsLost }) => [name, recordsLost]),
        [
          ["keep", 0],
          ["cut", 67]
        ]
      )
      const report = yield* Repair.apply({ directory, choice: "keep", backup })
      assert.deepStrictEqual(report.verified.findings, [])
      for (const [path, digest] of Temporary.contentOf(backup)) {
        const source = path.replace(backup, directory)
        if (source !== join(directory, "repair.json")) {
          assert.strictEqual(before.get(source), digest, path)
        }
      }
      yield* using(
        directory,
        Effect.gen(function* () {
          const store = yield* MessageStore.MessageStore
          assert.strictEqual(store.recovery.exit, "clean")
          assert.deepStrictEqual(yield* idsOf, without(torn, strange, flipped))
          assert.lengthOf(yield* store.query({ topic: "topic", key: "key98" }), 1)
          assert.lengthOf(yield* store.query({ topic: "topic", key: "key97" }), 0)
          const put = yield* store.put(message(100))
          assert.strictEqual(put.queueOffset, 50)
        })
      )
    })
  )

  it.effect("cuts before the first damage, and keeps in the backup what was behind", () =>
    Effect.gen(function* () {
      const { backup, directory, results } = yield* filled
      flip(directory, results[40]!.position + 100)
      const report = yield* Repair.apply({ directory, choice: "cut", backup })
      assert.deepStrictEqual(report.verified.findings, [])
      assert.strictEqual(report.recovery.maxPosition, results[40]!.position)
      const end = Effect.map(
        Effect.flatMap(MessageStore.MessageStore, (store) => store.topics),
        ([topic]) => topic!.queues.map(({ maxOffset }) => maxOffset)
      )
      // A filler in the place of the damaged message would hide what is put later from RocketMQ.
      assert.deepStrictEqual(yield* using(directory, end), [20, 20])
      assert.deepStrictEqual(yield* using(directory, idsOf), all.slice(0, 40))
      fs.cpSync(backup, directory, { recursive: true })
      fs.rmSync(join(directory, "repair.json"))
      assert.lengthOf(
        (yield* Inspect.verify({ directory })).findings.filter(({ _tag }) => _tag === "LogDamage"),
        1
      )
    })
  )

  it.effect("leads over damage in several files, up to the end of one and at the beginning of the next", () =>
    Effect.gen(function* () {
      const { backup, directory, results } = yield* filled
      const first = results.findIndex(({ position }) => position >= FILE_LENGTH)
      const lost = [first - 2, first - 1, first, first + 1]
      for (const id of lost) {
        overwrite(directory, results[id]!.position, new Uint8Array(results[id]!.length).fill(7))
      }
      flip(directory, results[80]!.position + 90)
      const { damages } = yield* Repair.plan({ directory })
      assert.lengthOf(damages, 2)
      const report = yield* Repair.apply({ directory, choice: "keep", backup })
      assert.deepStrictEqual(report.verified.findings, [])
      assert.deepStrictEqual(yield* using(directory, idsOf), without(...lost, 80))
    })
  )

  it.effect("shortens a queue whose last record is damaged, so that the next message takes its place", () =>
    Effect.gen(function* () {
      const { backup, directory, results } = yield* filled
      flip(directory, results[98]!.position + 100)
      const report = yield* Repair.apply({ directory, choice: "keep", backup })
      assert.deepStrictEqual(report.verified.findings, [])
      const put = Effect.flatMap(MessageStore.MessageStore, (store) =>
        store.put({ topic: "topic", body: Buffer.from("98") })
      )
      assert.strictEqual((yield* using(directory, put)).queueOffset, 49)
    })
  )

  it.effect("writes queues and index anew that do not agree with a log that is whole", () =>
    Effect.gen(function* () {
      const { backup, directory } = yield* filled
      const queue = join(directory, "consumequeue/topic/1/00000000000000000000")
      const bytes = fs.readFileSync(queue)
      bytes.fill(0xee, 20 * 3, 20 * 3 + 8)
      bytes.fill(0, 20 * 7 + 12, 20 * 7 + 20)
      bytes.writeBigInt64BE(5n, 20 * 7 + 12)
      fs.writeFileSync(queue, bytes)
      fs.rmSync(join(directory, "consumequeue/topic/0"), { recursive: true })
      const { choices } = yield* Repair.plan({ directory })
      assert.deepStrictEqual(
        choices.map(({ name }) => name),
        ["rebuild"]
      )
      const report = yield* Repair.apply({ directory, choice: "rebuild", backup })
      assert.deepStrictEqual(report.verified.findings, [])
      assert.deepStrictEqual(yield* using(directory, idsOf), all)
    })
  )

  it.effect("has nothing to do where everything agrees, and changes nothing", () =>
    Effect.gen(function* () {
      const { backup, directory } = yield* filled
      const before = Temporary.contentOf(directory)
      assert.deepStrictEqual((yield* Repair.plan({ directory })).choices, [])
      assert.strictEqual(yield* reasonOf(Repair.apply({ directory, choice: "keep", backup })), "OptionIllegal")
      assert.deepStrictEqual(Temporary.contentOf(directory), before)
      assert.isFalse(fs.existsSync(backup))
    })
  )

  it.effect("refuses a store that is open, and a backup that is there already", () =>
    Effect.gen(function* () {
      const { backup, directory, results } = yield* filled
      yield* using(
        directory,
        Effect.gen(function* () {
          assert.strictEqual(yield* reasonOf(Repair.apply({ directory, choice: "keep", backup })), "Locked")
        })
      )
      flip(directory, results[40]!.position + 100)
      fs.mkdirSync(backup)
      assert.strictEqual(yield* reasonOf(Repair.apply({ directory, choice: "keep", backup })), "FileFailed")
      assert.lengthOf((yield* Repair.plan({ directory })).damages, 1)
    })
  )
})

describe("the plan for queues", () => {
  const ofTopic = { topic: "topic", queueId: 0 }
  const missing = (queueOffset: number, position: number) =>
    ({ _tag: "QueueEntryMissing", ...ofTopic, queueOffset, position }) as const
  const wrong = {
    _tag: "QueueEntryWrong",
    ...ofTopic,
    queueOffset: 1,
    found: { position: 0, size: 1, tagsCode: 0 },
    expected: { position: 0, size: 2, tagsCode: 0 },
    detail: "it leads elsewhere"
  } as const

  const make = () => {
    const store = new SimulatedStore(1).open()
    for (let id = 0; id < 3; id++) {
      store.put({ ...ofTopic, body: Buffer.from(String(id)) })
    }
    store.run(100)
    return { queues: store.engine.queues, end: store.engine.commitLog.maxOffset }
  }

  it("mends entries in place, and leaves what is missing at the end to the next opening", () => {
    const { end, queues } = make()
    const { edits, putAside } = RepairPlan.queues(queues, [wrong, missing(3, 0), missing(0, end)], end)
    assert.deepStrictEqual(putAside, [])
    assert.deepStrictEqual(
      edits.map(({ offset }) => offset),
      [20]
    )
  })

  it("has a queue made anew that lacks its beginning, whatever else is wrong with it", () => {
    const { end, queues } = make()
    const { edits, putAside } = RepairPlan.queues(queues, [wrong, missing(0, 0)], end)
    assert.deepStrictEqual([edits, putAside], [[], ["/store/consumequeue/topic/0"]])
  })

  it("has nothing for a queue that is not there", () => {
    const { end, queues } = make()
    const findings = [{ ...wrong, topic: "other" }]
    assert.deepStrictEqual(RepairPlan.queues(queues, findings, end), { edits: [], putAside: [] })
  })
})
