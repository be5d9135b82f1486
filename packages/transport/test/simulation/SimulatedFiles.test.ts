import { assert, describe, it } from "vitest"
import { isFailure, type RawLog } from "../../src/driver/LogFactory.ts"
import { SimulatedFiles, SimulatedMappings } from "../../src/simulation/SimulatedFiles.ts"

const request = { kind: "publication", registrationId: 7n, termLength: 65_536, isSparse: true } as const

const found = (log: ReturnType<ReturnType<ReturnType<SimulatedMappings["logFactory"]>["create"]>["poll"]>): RawLog => {
  assert(log !== undefined && !isFailure(log), "there is a log")
  return log
}

describe("SimulatedFiles", () => {
  it("holds memory by its path until that is removed", () => {
    const files = new SimulatedFiles()
    const memory = files.create("/host/cnc.dat", 64)
    assert.strictEqual(memory.byteLength, 64)
    assert.strictEqual(files.find("/host/cnc.dat"), memory)
    files.remove("/host/cnc.dat")
    assert.isUndefined(files.find("/host/cnc.dat"))
  })

  it("removes what lies under a directory and leaves one whose name begins alike", () => {
    const files = new SimulatedFiles()
    files.create("/host/images/1.logbuffer", 64)
    files.create("/host/cnc.dat", 64)
    files.create("/hosted/cnc.dat", 64)
    files.removeAll("/host")
    assert.deepStrictEqual(files.paths, ["/hosted/cnc.dat"])
  })
})

describe("SimulatedMappings", () => {
  it("shares what one process writes with another that has mapped the path", () => {
    const files = new SimulatedFiles()
    const writer = new SimulatedMappings(files).create("/host/cnc.dat", 64)
    const reader = new SimulatedMappings(files).map("/host/cnc.dat")
    writer.buffer().view.setInt32(0, 42, true)
    assert.strictEqual(reader.buffer().view.getInt32(0, true), 42)
  })

  it("keeps the memory of a path that was removed after it was mapped", () => {
    const files = new SimulatedFiles()
    const region = new SimulatedMappings(files).create("/host/cnc.dat", 64)
    files.remove("/host/cnc.dat")
    region.buffer().view.setInt32(0, 42, true)
    assert.strictEqual(region.buffer().view.getInt32(0, true), 42)
  })

  it("says of a path that is not there what a system says", () => {
    const mappings = new SimulatedMappings(new SimulatedFiles())
    assert.throws(() => mappings.map("/host/cnc.dat"), "no such file: /host/cnc.dat")
    try {
      mappings.map("/host/cnc.dat")
    } catch (thrown) {
      assert.propertyVal(thrown, "code", "ENOENT")
    }
    assert.deepStrictEqual(mappings.names, [])
  })

  it("names what is mapped still, and nothing once the process has ended", () => {
    const mappings = new SimulatedMappings(new SimulatedFiles())
    const first = mappings.create("/host/first", 64)
    const second = mappings.create("/host/second", 64)
    first.close()
    assert.deepStrictEqual(mappings.names, ["/host/second"])
    const third = mappings.create("/host/third", 64)
    assert.deepStrictEqual(mappings.names, ["/host/second", "/host/third"])
    mappings.closeAll()
    assert.deepStrictEqual(mappings.names, [])
    assert.isTrue(second.state.isClosed)
    assert.isTrue(third.state.isClosed)
  })

  it("has a log ready after as many looks as it takes, and frees it with its file", () => {
    const files = new SimulatedFiles()
    const pending = new SimulatedMappings(files).logFactory("/host", 4096, () => 2).create(request)
    assert.isUndefined(pending.poll())
    assert.isUndefined(pending.poll())
    assert.deepStrictEqual(files.paths, [])
    const log = found(pending.poll())
    assert.strictEqual(log.fileName, "/host/publications/7.logbuffer")
    assert.strictEqual(log.region.length, 3 * 65_536 + 4096)
    assert.deepStrictEqual(files.paths, [log.fileName])
    assert.isTrue(log.free())
    assert.isTrue(log.region.state.isClosed)
    assert.deepStrictEqual(files.paths, [])
  })

  it("makes nothing of a log that was abandoned", () => {
    const files = new SimulatedFiles()
    new SimulatedMappings(files)
      .logFactory("/host", 4096, () => 1)
      .create(request)
      .abandon()
    assert.deepStrictEqual(files.paths, [])
  })
})
