import { assert, describe, it } from "@effect/vitest"
import * as ProcText from "../../src/doctor/ProcText.ts"

const LIMITS = `Limit                     Soft Limit           Hard Limit           Units
Max locked memory         8388608              unlimited            bytes
Max open files            1024                 524288               files
`

const MOUNTS = String.raw`22 1 8:1 / / rw - ext4 /dev/sda1 rw
30 22 0:25 / /dev/shm rw,nosuid - tmpfs tmpfs rw
31 22 0:26 / /mnt/my\040disk rw shared:1 - xfs /dev/sdb rw
32 22 0:27 / /mnt/twice rw - ext4 /dev/sdc rw
33 32 0:28 / /mnt/twice rw - nfs4 host:/x rw
`

describe("ProcText", () => {
  it("reads the limits of a process", () => {
    assert.deepStrictEqual(ProcText.limit(LIMITS, "Max open files"), { soft: 1024, hard: 524_288 })
    assert.deepStrictEqual(ProcText.limit(LIMITS, "Max locked memory"), { soft: 8_388_608, hard: Infinity })
    assert.isUndefined(ProcText.limit(LIMITS, "Max nothing"))
  })

  it("finds the file system of the longest mount point that holds a path", () => {
    assert.strictEqual(ProcText.fileSystemOf(MOUNTS, "/dev/shm/aeron-x"), "tmpfs")
    assert.strictEqual(ProcText.fileSystemOf(MOUNTS, "/dev/shm"), "tmpfs")
    assert.strictEqual(ProcText.fileSystemOf(MOUNTS, "/dev/shmother"), "ext4")
    assert.strictEqual(ProcText.fileSystemOf(MOUNTS, "/mnt/my disk/store"), "xfs")
  })

  it("takes the last of mounts on one point, and knows nothing without any", () => {
    assert.strictEqual(ProcText.fileSystemOf(MOUNTS, "/mnt/twice/a"), "nfs4")
    assert.isUndefined(ProcText.fileSystemOf("", "/"))
  })
})
