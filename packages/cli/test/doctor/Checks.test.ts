import { assert, describe, it } from "@effect/vitest"
import * as Check from "../../src/doctor/Check.ts"
import * as Checks from "../../src/doctor/Checks.ts"
import type { Disk, MachineFacts } from "../../src/doctor/MachineFacts.ts"

const GIB = 2 ** 30

const disk: Disk = {
  directory: "/var/lib/trades",
  fileSystem: "ext4",
  freeBytes: 60 * GIB,
  totalBytes: 100 * GIB,
  canReserve: true,
  canPunch: true,
  canMap: true,
  canLock: true,
  syncMs: 3,
  storeFiles: 0
}

/** A machine that has everything. */
const good: MachineFacts = {
  nodeVersion: "v24.3.1",
  nodeVersionMin: "22.19.0",
  platform: "linux",
  arch: "x64",
  nativeProblem: undefined,
  koffiVersion: "koffi 3.3.4",
  sharedMemory: { directory: "/dev/shm", fileSystem: "tmpfs", freeBytes: 2 * GIB, totalBytes: 4 * GIB },
  leftBehind: [],
  receiveBufferMax: 4_194_304,
  sendBufferMax: 4_194_304,
  mapCountMax: 655_360,
  clock: { source: "tsc", sources: ["tsc", "hpet"], stepMs: 0.2, watchedMs: 200, readNs: 40 },
  disk,
  descriptors: { soft: 20_000, hard: 20_000 },
  lockedMemory: { soft: Infinity, hard: Infinity }
}

const judge = (facts: Partial<MachineFacts>): ReadonlyMap<string, Check.Check> =>
  new Map(Checks.of({ ...good, ...facts }).map((check) => [check.name, check]))

const statusOf = (facts: Partial<MachineFacts>, name: string): Check.Status => judge(facts).get(name)!.status

describe("Checks", () => {
  it("has nothing to mend on a machine that has everything", () => {
    const checks = Checks.of(good)
    assert.lengthOf(checks, 13)
    assert.strictEqual(Check.worst(checks), "ok")
    assert.isTrue(checks.every(({ mend }) => mend === undefined))
  })

  it("says what to type for everything that is not as it should be", () => {
    const bad = Checks.of({
      ...good,
      nodeVersion: "v20.1.0",
      nativeProblem: "no such module",
      sharedMemory: { directory: "/dev/shm", problem: "ENOENT" },
      leftBehind: [{ directory: "/dev/shm/aeron-x", bytes: 4096 }],
      receiveBufferMax: 65_536,
      sendBufferMax: 212_992,
      mapCountMax: 1000,
      clock: { source: "hpet", sources: ["hpet", "tsc"], stepMs: -900, watchedMs: 200, readNs: 1800 },
      disk: { directory: "/nowhere", problem: "EACCES" },
      descriptors: { soft: 100, hard: 100 },
      lockedMemory: { soft: 8_388_608, hard: 8_388_608 }
    })
    assert.strictEqual(Check.worst(bad), "fail")
    for (const { mend, name, status } of bad) {
      assert.notStrictEqual(status, "ok", name)
      assert.isDefined(mend, name)
    }
  })

  it("has a read-only file system mounted anew, and does not make directories there", () => {
    const mendOf = (problem: string) => judge({ disk: { directory: "/data", problem } }).get("disk")!.mend
    assert.include(mendOf("EROFS: read-only file system, access '/data'"), "mount -o remount,rw")
    assert.include(mendOf("EACCES: permission denied, access '/data'"), "install -d")
  })

  it("compares versions as numbers", () => {
    assert.strictEqual(statusOf({ nodeVersion: "v22.19.0" }, "Node"), "ok")
    assert.strictEqual(statusOf({ nodeVersion: "v22.9.0" }, "Node"), "fail")
    assert.strictEqual(statusOf({ nodeVersion: "v26.0.0-nightly" }, "Node"), "ok")
  })

  it("asks more of a socket's buffer than Aeron's default, which works", () => {
    assert.strictEqual(statusOf({ receiveBufferMax: 2_097_152 }, "receive buffers"), "ok")
    assert.strictEqual(statusOf({ receiveBufferMax: 212_992 }, "receive buffers"), "warn")
    assert.strictEqual(statusOf({ sendBufferMax: 131_071 }, "send buffers"), "fail")
    assert.strictEqual(
      judge({ receiveBufferMax: 212_992 }).get("receive buffers")!.mend,
      "sudo sysctl -w net.core.rmem_max=2097152"
    )
  })

  it("knows the shared memory of a container, and memory that is none", () => {
    const place = { directory: "/dev/shm", fileSystem: "tmpfs", freeBytes: 67_108_864, totalBytes: 67_108_864 }
    assert.strictEqual(statusOf({ sharedMemory: place }, "shared memory"), "warn")
    assert.strictEqual(statusOf({ sharedMemory: { ...place, freeBytes: 60_000_000 } }, "shared memory"), "fail")
    const onDisk = { ...place, fileSystem: "ext4", freeBytes: GIB }
    assert.strictEqual(statusOf({ sharedMemory: onDisk }, "shared memory"), "warn")
    assert.strictEqual(statusOf({ sharedMemory: onDisk, platform: "darwin" }, "shared memory"), "ok")
  })

  it("wants a mapping for each file of the store", () => {
    assert.strictEqual(statusOf({ mapCountMax: 65_530 }, "mappings"), "ok")
    const many = { mapCountMax: 65_530, disk: { ...disk, storeFiles: 70_000 } }
    assert.strictEqual(statusOf(many, "mappings"), "warn")
    assert.strictEqual(judge(many).get("mappings")!.mend, "sudo sysctl -w vm.max_map_count=655360")
  })

  it("takes a clock that is read by a call of the system for slow, and one that is set for unsteady", () => {
    const { clock } = good
    const slow = judge({ clock: { ...clock, source: "hpet" } }).get("clock source")!
    assert.strictEqual(slow.status, "warn")
    assert.match(slow.mend!, /^echo tsc \| sudo tee /)
    assert.strictEqual(statusOf({ clock: { ...clock, source: undefined } }, "clock source"), "ok")
    assert.strictEqual(statusOf({ clock: { ...clock, stepMs: -40 } }, "clock steps"), "warn")
  })

  it("takes a disk that cannot lock or reserve for unfit, and a distant or volatile one for doubtful", () => {
    const status = (fields: Partial<Disk>, name = "file system") => statusOf({ disk: { ...disk, ...fields } }, name)
    assert.strictEqual(status({ canLock: false }), "fail")
    assert.strictEqual(status({ canReserve: false }), "fail")
    assert.strictEqual(status({ canMap: false }), "warn")
    assert.strictEqual(status({ fileSystem: "nfs4" }), "warn")
    assert.strictEqual(status({ fileSystem: "tmpfs" }), "warn")
    assert.strictEqual(status({ freeBytes: GIB / 2 }, "disk space"), "fail")
    assert.strictEqual(status({ freeBytes: 20 * GIB }, "disk space"), "warn")
    assert.strictEqual(status({ syncMs: 80 }, "disk sync"), "warn")
  })

  it("says nothing of what a machine does not tell", () => {
    const names = [...judge({ receiveBufferMax: undefined, mapCountMax: undefined, descriptors: undefined }).keys()]
    assert.notInclude(names, "receive buffers")
    assert.notInclude(names, "mappings")
    assert.notInclude(names, "open files")
  })
})
