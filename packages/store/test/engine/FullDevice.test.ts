import { mountSmallFileSystem, noMountReason } from "@millrace/testkit/smallFileSystem"
import { startScript } from "@millrace/testkit/runScript"
import { assert, describe, it } from "vitest"

const BRIM = new URL("../fixtures/brim.ts", import.meta.url)
const DEVICE_LENGTH = 12 * 1024 * 1024

const FOLDERS = { log: "commitlog", queue: "consumequeue", index: "index" } as const

describe.skipIf(noMountReason !== undefined)("a store on a device that is full to the last page", () => {
  for (const [kind, folder] of Object.entries(FOLDERS)) {
    it(`lives, says what it had no room for, and goes on by itself when there is room (${kind})`, async () => {
      const directory = mountSmallFileSystem(DEVICE_LENGTH)
      const { code, signal, stderr, stdout } = await startScript(BRIM, [directory, kind]).ended
      assert.isNull(signal, stderr)
      assert.strictEqual(code, 0, stderr)
      const lines = stdout.trimEnd().split("\n")
      const refused = lines.filter((line) => line.startsWith("refused ")).map((line) => JSON.parse(line.slice(8)))
      assert.lengthOf(refused, 2)
      for (const { _tag, availableBytes, path, requiredBytes } of refused) {
        assert.strictEqual(_tag, "OutOfSpace")
        assert.include(path, `/store/${folder}/`)
        assert.isAbove(requiredBytes, availableBytes)
      }
      assert.lengthOf(
        lines.filter((line) => line === "recovered"),
        2
      )
      assert.match(lines.at(-2)!, /^kept (\d+) of \1$/)
      assert.strictEqual(lines.at(-1), kind === "index" ? "found 1" : "found 0")
    })
  }
})
