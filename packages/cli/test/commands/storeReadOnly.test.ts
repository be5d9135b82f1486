import * as MessageStore from "@millrace/store/MessageStore"
import { makeReadOnly, mountSmallFileSystem, noMountReason } from "@millrace/testkit/smallFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { top } from "../../src/commands/top.ts"
import * as InProcess from "../support/InProcess.ts"
import { run } from "../support/StoreCommand.ts"

const DEVICE_LENGTH = 16 * 1024 * 1024

const encoder = new TextEncoder()

/** A store of three messages. */
const makeStore = (directory: string) =>
  Effect.gen(function* () {
    const store = yield* MessageStore.MessageStore
    yield* store.putMany(
      ["one", "two", "three"].map((text) => ({ topic: "t", keys: text, tags: "new", body: encoder.encode(text) }))
    )
  }).pipe(
    Effect.provide(
      MessageStore.layer({ directory, mappedFileSizeCommitLog: 65_536, maxHashSlotNum: 100, maxIndexNum: 400 })
    )
  )

/** What a killed process, and a bad sector, leave of it. */
const damage = (directory: string): void => {
  fs.writeFileSync(path.join(directory, "abort"), "1")
  const fd = fs.openSync(path.join(directory, "commitlog", "0".repeat(20)), "r+")
  fs.writeSync(fd, Buffer.from("?"), 0, 1, 95)
  fs.closeSync(fd)
}

describe.skipIf(noMountReason !== undefined)("a store on a file system that is read-only", () => {
  it.live("is read by every command that reads, and refused by those that write, which say why", () =>
    Effect.gen(function* () {
      const device = mountSmallFileSystem(DEVICE_LENGTH)
      const whole = path.join(device, "whole")
      const damaged = path.join(device, "damaged")
      yield* Effect.forEach([whole, damaged], makeStore)
      damage(damaged)
      makeReadOnly(device)

      const reads: ReadonlyArray<readonly [command: string, flags: ReadonlyArray<string>, said: string]> = [
        ["stat", [], "3 in 1 queue of 1 topic"],
        ["topics", [], "t "],
        ["queues", [], "t "],
        ["offsets", [], "No group"],
        ["tail", [], "three"],
        ["get", ["--topic", "t", "--queue", "0", "--offset", "0"], "three"],
        ["query", ["--topic", "t", "--key", "two"], "two"],
        ["export", [], "3 records"],
        ["verify", [], "everything agrees"],
        ["repair", [], "nothing to repair"]
      ]
      for (const [command, flags, said] of reads) {
        const { code, stderr, stdout } = yield* run(command, whole, ...flags)
        assert.strictEqual(code, 0, `${command}: ${stderr}`)
        assert.include(stdout, said, command)
      }
      assert.include(
        yield* InProcess.run(top, "--store", whole, "--once", "--interval", "0.1"),
        "3 messages in 1 topic"
      )
      assert.strictEqual((yield* run("verify", damaged)).code, 1)
      assert.include((yield* run("repair", damaged)).stdout, "cut")

      const writes: ReadonlyArray<ReadonlyArray<string>> = [
        ["put", whole, "--topic", "t", "four"],
        ["open", whole],
        ["bench", path.join(device, "new", "store")],
        ["repair", damaged, "--yes"]
      ]
      for (const words of writes) {
        const { code, stderr } = yield* run(...words)
        assert.strictEqual(code, 1, words[0])
        assert.include(stderr, "the file system is mounted read-only", words[0])
      }
    })
  )
})
