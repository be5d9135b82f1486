import { assert, describe, it } from "vitest"
import * as ConfigFile from "../../src/config/ConfigFile.ts"
import { TopicConfigs } from "../../src/config/TopicConfig.ts"
import { MemoryFileSystem } from "../../src/mapped/MemoryFileSystem.ts"
import { SimulatedDisk } from "../../src/mapped/SimulatedDisk.ts"

const PATH = "/store/config/topics.json"

const make = () => {
  const fileSystem = new MemoryFileSystem((run) => run())
  fileSystem.makeDirectory("/store/config")
  return { fileSystem, open: () => new TopicConfigs(fileSystem, "/store") }
}

const textOf = (fileSystem: MemoryFileSystem, path: string) => Buffer.from(fileSystem.readBytes(path)!).toString()

describe("TopicConfigs", () => {
  it("keeps the number of queues in RocketMQ's form, and the content before it as a backup", () => {
    const { fileSystem, open } = make()
    open().set("b", 3, 1000)
    const first = textOf(fileSystem, PATH)
    open().set("a", 4, 2000)
    assert.strictEqual(textOf(fileSystem, `${PATH}.bak`), first)
    assert.deepStrictEqual(JSON.parse(textOf(fileSystem, PATH)), {
      dataVersion: { counter: 2, stateVersion: 0, timestamp: 2000 },
      topicConfigTable: {
        a: {
          attributes: {},
          order: false,
          perm: 6,
          readQueueNums: 4,
          topicFilterType: "SINGLE_TAG",
          topicName: "a",
          topicSysFlag: 0,
          writeQueueNums: 4
        },
        b: {
          attributes: {},
          order: false,
          perm: 6,
          readQueueNums: 3,
          topicFilterType: "SINGLE_TAG",
          topicName: "b",
          topicSysFlag: 0,
          writeQueueNums: 3
        }
      }
    })
  })

  it("keeps what RocketMQ wrote of a topic when only its number of queues changes", () => {
    const { fileSystem, open } = make()
    const table = {
      t: { attributes: { "queue.type": "SimpleCQ" }, order: true, perm: 4, readQueueNums: 8, writeQueueNums: 8 }
    }
    fileSystem.replace(PATH, Buffer.from(JSON.stringify({ topicConfigTable: table })))
    const configs = open()
    assert.strictEqual(configs.get("t")!.writeQueueNums, 8)
    configs.set("t", 16, 1)
    const kept = open().get("t")!
    assert.strictEqual(kept.perm, 4)
    assert.isTrue(kept.order)
    assert.deepStrictEqual(kept.attributes, { "queue.type": "SimpleCQ" })
  })

  it("keeps a type of queues as an attribute by its bare name, whichever name stood there", () => {
    const { fileSystem, open } = make()
    const table = { t: { attributes: { "+queue.type": "BatchCQ", "message.type": "NORMAL" }, writeQueueNums: 8 } }
    fileSystem.replace(PATH, Buffer.from(JSON.stringify({ topicConfigTable: table })))
    const configs = open()
    assert.strictEqual(configs.get("t")!.queueType, "BatchCQ")
    configs.setQueueType("t", "SimpleCQ", 1)
    configs.setQueueType("new", "BatchCQ", 2)
    const kept = open()
    assert.deepStrictEqual(kept.get("t")!.attributes, { "message.type": "NORMAL", "queue.type": "SimpleCQ" })
    assert.strictEqual(kept.get("t")!.queueType, "SimpleCQ")
    assert.strictEqual(kept.get("t")!.writeQueueNums, 8)
    assert.strictEqual(kept.get("new")!.queueType, "BatchCQ")
    const before = textOf(fileSystem, PATH)
    kept.setQueueType("new", "BatchCQ", 3)
    assert.strictEqual(textOf(fileSystem, PATH), before)
  })

  it("keeps what stands in its file when that cannot be written, so that trying again writes it", () => {
    const disk = new SimulatedDisk({ random: () => 0, later: (run) => run(), capacityBytes: 1 << 20 })
    const configs = new TopicConfigs(disk, "/store")
    configs.set("t", 3, 1000)
    disk.fault = (operation, path) => (operation === "replace" && path === PATH ? "ENOSPC" : undefined)
    for (let attempt = 0; attempt < 2; attempt++) {
      assert.throws(() => configs.set("t", 4, 2000), /ENOSPC/)
      assert.throws(() => configs.set("new", 1, 2000), /ENOSPC/)
    }
    assert.strictEqual(configs.get("t")!.writeQueueNums, 3)
    assert.lengthOf(configs.all(), 1)
    disk.fault = () => undefined
    configs.set("t", 4, 3000)
    const { dataVersion, topicConfigTable } = ConfigFile.read(disk, PATH) as Record<string, Record<string, unknown>>
    assert.strictEqual(dataVersion!["counter"], 2)
    assert.deepStrictEqual(Object.keys(topicConfigTable!), ["t"])
    assert.strictEqual(new TopicConfigs(disk, "/store").get("t")!.writeQueueNums, 4)
  })

  it("reads the backup where the file is empty or broken", () => {
    for (const broken of ["", "{", "null"]) {
      const { fileSystem, open } = make()
      open().set("t", 5, 1)
      open().set("t", 6, 1)
      fileSystem.replace(PATH, Buffer.from(broken))
      assert.strictEqual(open().get("t")!.writeQueueNums, 5)
    }
  })

  it("reads map keys without quotes, and leaves text in quotes alone", () => {
    const { fileSystem } = make()
    fileSystem.replace("/x.json", Buffer.from('{"offsetTable":{"a,1:2@g":{0:123,1:456}, -1 : {7:8}}}'))
    assert.deepStrictEqual(ConfigFile.read(fileSystem, "/x.json"), {
      offsetTable: { "a,1:2@g": { 0: 123, 1: 456 }, "-1": { 7: 8 } }
    })
  })
})
