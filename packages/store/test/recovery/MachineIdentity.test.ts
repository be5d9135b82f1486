import { assert, describe, it } from "vitest"
import * as StorePaths from "../../src/engine/StorePaths.ts"
import * as MachineIdentity from "../../src/recovery/MachineIdentity.ts"
import { SimulatedStore } from "../fixtures/SimulatedStore.ts"

const ROOT = "/store"
const PATH = `${StorePaths.config(ROOT)}/machine.json`

const compare = ({ disk }: SimulatedStore, identity: string) => MachineIdentity.compare(disk, ROOT, identity)

const survivalOf = ({ disk }: SimulatedStore, isCleanExit: boolean) =>
  MachineIdentity.survivalOf(disk, ROOT, "boot 1", isCleanExit)

describe("MachineIdentity", () => {
  it("tells one boot from another, and knows nothing where there is no word of either", () => {
    const store = new SimulatedStore(1)
    assert.strictEqual(compare(store, "boot 1"), "unknown")
    MachineIdentity.write(store.disk, ROOT, "boot 1", false)
    assert.strictEqual(Buffer.from(store.disk.readBytes(PATH)!).toString(), '{"identity":"boot 1"}\n')
    assert.deepStrictEqual(
      ["boot 1", "boot 2", ""].map((identity) => compare(store, identity)),
      ["same", "different", "unknown"]
    )
    store.disk.replace(PATH, Buffer.from("{"))
    assert.strictEqual(compare(store, "boot 1"), "different")
  })

  it("says whether the last process had a transient pool, on systems that do not name their boots too", () => {
    for (const identity of ["boot 1", ""]) {
      const store = new SimulatedStore(1)
      assert.isTrue(survivalOf(store, false).isWrittenInOrder)
      for (const isPooled of [true, false]) {
        MachineIdentity.write(store.disk, ROOT, identity, isPooled)
        assert.strictEqual(survivalOf(store, false).isWrittenInOrder, !isPooled)
        assert.isTrue(survivalOf(store, true).isWrittenInOrder)
        assert.strictEqual(compare(store, "boot 1"), identity === "" ? "unknown" : "same")
      }
    }
  })

  it("makes no file where there is nothing to say", () => {
    const store = new SimulatedStore(1)
    MachineIdentity.write(store.disk, ROOT, "", false)
    assert.isFalse(store.disk.exists(PATH))
  })
})
