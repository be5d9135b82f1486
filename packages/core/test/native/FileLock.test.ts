import * as fs from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import * as FileLock from "../../src/native/FileLock.ts"
import { isLinux } from "../../src/native/Platform.ts"
import { startScript } from "@millrace/testkit/runScript"
import { temporaryDirectory } from "@millrace/testkit/temporaryDirectory"

const holderScript = new URL("fixtures/lockHolder.ts", import.meta.url)

const kinds: ReadonlyArray<readonly [string, number]> = isLinux
  ? [
      ["the open file description", FileLock.F_OFD_SETLK],
      ["the process", FileLock.F_SETLK]
    ]
  : [["the process", FileLock.F_SETLK]]

describe.each(kinds)("FileLock of %s", (_name, command) => {
  const tryLock = (path: string, range: FileLock.Range = FileLock.WHOLE_FILE): FileLock.FileLock | undefined =>
    FileLock.tryLockWith(command, path, range)

  it("excludes a second holder in the same process until it is released", () => {
    const path = join(temporaryDirectory(), "lock")
    const first = tryLock(path)
    assert(first !== undefined)
    assert.isUndefined(tryLock(path))
    first.release()
    first.release()
    const second = tryLock(path)
    assert(second !== undefined)
    second.release()
  })

  it("excludes other processes in both directions and is freed by the holder's death", async () => {
    const path = join(temporaryDirectory(), "lock")
    const held = tryLock(path)
    assert(held !== undefined)
    const refused = await startScript(holderScript, [path, String(command)]).ended
    assert.strictEqual(refused.stdout, "refused\n")
    held.release()

    const holder = startScript(holderScript, [path, String(command)])
    await holder.line("held")
    assert.isUndefined(tryLock(path))
    holder.process.kill("SIGKILL")
    await holder.ended
    const taken = tryLock(path)
    assert(taken !== undefined)
    taken.release()
  })

  it("holds against another process although the lock was refused here in between", async () => {
    const path = join(temporaryDirectory(), "lock")
    const held = tryLock(path)
    assert.isUndefined(tryLock(path))
    const refused = await startScript(holderScript, [path, String(command)]).ended
    assert.strictEqual(refused.stdout, "refused\n")
    held?.release()
  })
})

describe("FileLock", () => {
  it.runIf(isLinux)("excludes the other kind of lock, as Java's FileChannel takes it", async () => {
    const path = join(temporaryDirectory(), "lock")
    const held = FileLock.tryLock(path, { offset: 0, length: 1 })
    assert(held !== undefined)
    const refused = await startScript(holderScript, [path, String(FileLock.F_SETLK)]).ended
    assert.strictEqual(refused.stdout, "refused\n")
    held.release()
  })

  it.runIf(isLinux)("survives the closing of another descriptor of the file", async () => {
    const path = join(temporaryDirectory(), "lock")
    const held = FileLock.tryLock(path)
    fs.closeSync(fs.openSync(path, "r+"))
    const refused = await startScript(holderScript, [path, String(FileLock.F_OFD_SETLK)]).ended
    assert.strictEqual(refused.stdout, "refused\n")
    held?.release()
  })

  it.runIf(isLinux)("locks ranges that do not touch side by side", () => {
    const path = join(temporaryDirectory(), "lock")
    const first = FileLock.tryLock(path, { offset: 0, length: 1 })
    const second = FileLock.tryLock(path, { offset: 1, length: 1 })
    assert(first !== undefined && second !== undefined)
    assert.isUndefined(FileLock.tryLock(path, { offset: 1, length: 5 }))
    first.release()
    second.release()
  })

  it("names the file that it cannot open", () => {
    assert.throws(() => FileLock.tryLock("/no/such/place/lock"), /open of \/no\/such\/place\/lock failed with ENOENT/)
  })
})
