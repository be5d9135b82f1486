import * as fs from "node:fs"
import { constants } from "node:os"
import { assert, describe, it } from "vitest"
import * as Errno from "../../src/native/Errno.ts"

describe("Errno", () => {
  it("names the number as this system does", () => {
    assert.strictEqual(Errno.nameOf(constants.errno.ENOSPC), "ENOSPC")
    assert.strictEqual(Errno.nameOf(constants.errno.EAGAIN), "EAGAIN")
    assert.strictEqual(Errno.nameOf(constants.errno.EOPNOTSUPP), "ENOTSUP")
  })

  it("keeps a number that has no name", () => {
    assert.strictEqual(Errno.nameOf(4095), "errno 4095")
    assert.strictEqual(Errno.fromNumber(4095, "mmap", "/x").message, "mmap of /x failed with errno 4095")
  })

  it("says which call failed, on what, and what to do", () => {
    const error = Errno.fromNumber(constants.errno.ENOMEM, "mmap", "/dev/shm/log")
    assert.strictEqual(error._tag, "NativeError")
    assert.strictEqual(error.errno, constants.errno.ENOMEM)
    assert.match(error.message, /^mmap of \/dev\/shm\/log failed with ENOMEM: .*vm\.max_map_count/)
  })

  it("says how much room was needed and how much there was", () => {
    const error = Errno.fromNumber(constants.errno.ENOSPC, "posix_fallocate", "/x", {
      requiredBytes: 4096,
      availableBytes: 12
    })
    assert.match(error.message, /\(4096 bytes are needed, 12 are available\).*--shm-size/)
  })

  it("gives the errors of Node's file calls the same form", () => {
    const error = thrownBy(() => Errno.attempt("/no/such/file", () => fs.openSync("/no/such/file", "r")))
    assert(error instanceof Errno.NativeError)
    assert.strictEqual(error.code, "ENOENT")
    assert.strictEqual(error.errno, constants.errno.ENOENT)
    assert.strictEqual(error.path, "/no/such/file")
  })

  it("lets any other error through", () => {
    const other = new TypeError("not a system call")
    assert.strictEqual(
      thrownBy(() =>
        Errno.attempt("/x", () => {
          throw other
        })
      ),
      other
    )
  })

  it("has a remedy for every error that the calls of this package document", () => {
    for (const code of [
      "EACCES",
      "EDQUOT",
      "EEXIST",
      "EIO",
      "EMFILE",
      "ENODEV",
      "ENOENT",
      "ENOMEM",
      "ENOSPC",
      "EROFS"
    ]) {
      const errno = constants.errno[code as keyof typeof constants.errno]
      assert.include(Errno.fromNumber(errno, "open").message, `${code}: `)
    }
  })
})

const thrownBy = (call: () => unknown): unknown => {
  try {
    call()
  } catch (error) {
    return error
  }
  return assert.fail("nothing was thrown")
}
