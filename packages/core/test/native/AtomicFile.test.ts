import * as fs from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import * as AtomicFile from "../../src/native/AtomicFile.ts"
import * as Files from "../../src/native/Files.ts"
import { namesIn, temporaryDirectory } from "@millrace/testkit/temporaryDirectory"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

describe("AtomicFile", () => {
  it("replaces a file whole and leaves no other name behind", () => {
    const directory = temporaryDirectory()
    const path = join(directory, "config.json")
    AtomicFile.replace(path, bytes("one"))
    AtomicFile.replace(path, bytes("three"))
    assert.strictEqual(fs.readFileSync(path, "utf8"), "three")
    assert.deepStrictEqual(namesIn(directory), ["config.json"])
    assert.strictEqual(fs.statSync(path).mode & 0o777, 0o600)
  })

  it("keeps the old file when the new one cannot take its place", () => {
    const directory = temporaryDirectory()
    const path = join(directory, "taken")
    fs.mkdirSync(path)
    assert.throws(() => AtomicFile.replace(path, bytes("x")), /EISDIR|ENOTEMPTY|EEXIST/)
    assert.deepStrictEqual(namesIn(directory), ["taken"])
  })

  it("never shows a reader anything but a whole file", () => {
    const directory = temporaryDirectory()
    const path = join(directory, "state")
    const contents = ["a".repeat(10_000), "b".repeat(20_000)]
    AtomicFile.replace(path, bytes(contents[0]!))
    const open = fs.openSync(path, "r")
    AtomicFile.replace(path, bytes(contents[1]!))
    assert.strictEqual(fs.readFileSync(open, "utf8"), contents[0])
    assert.strictEqual(fs.readFileSync(path, "utf8"), contents[1])
    fs.closeSync(open)
  })

  it("gives two calls two temporary names in the directory of the file", () => {
    const first = AtomicFile.temporaryName("/data/log/file")
    assert.notStrictEqual(first, AtomicFile.temporaryName("/data/log/file"))
    assert.match(first, /^\/data\/log\/\.file\./)
  })

  it("publishes to a free name only", () => {
    const directory = temporaryDirectory()
    const path = join(directory, "cnc.dat")
    const temporary = AtomicFile.temporaryName(path)
    Files.close(Files.createExclusive(temporary))
    AtomicFile.publish(temporary, path)
    assert.deepStrictEqual(namesIn(directory), ["cnc.dat"])

    const second = AtomicFile.temporaryName(path)
    Files.close(Files.createExclusive(second))
    assert.throws(() => AtomicFile.publish(second, path), /EEXIST/)
  })
})
