import { assert, describe, it } from "@effect/vitest"
import { CountersManager } from "@millrace/core/kernel/counters/CountersManager"
import { CountersReader } from "@millrace/core/kernel/counters/CountersReader"
import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import { CsvTableResolver, ENTRY_TYPE_ID, MalformedTable } from "../../src/naming/CsvTableResolver.ts"
import { type NameResolver, type Resolution, resolved } from "../../src/naming/NameResolver.ts"

/** Whatever is asked is known, and noted. */
class Next implements NameResolver {
  readonly asked: Array<string> = []

  resolve(host: string): ReturnType<NameResolver["resolve"]> {
    this.asked.push(host)
    return resolved({ _tag: "Resolved", address: Uint8Array.of(9, 9, 9, 9) })
  }
}

const counters = () => {
  const metadata = new HeapRegion("metadata", 64 * 1024)
  const values = new HeapRegion("values", 16 * 1024)
  return {
    manager: new CountersManager(metadata.buffer(), values.buffer(), () => 0),
    reader: new CountersReader(metadata.buffer(), values.buffer())
  }
}

const setUp = (table: string) => {
  const next = new Next()
  const { manager, reader } = counters()
  const resolver = new CsvTableResolver(table, next)
  resolver.init(manager, 0)
  const entries = () => {
    const found: Array<{ readonly id: number; readonly label: string; readonly key: Uint8Array }> = []
    reader.forEach((record) => record.typeId === ENTRY_TYPE_ID && found.push(record))
    return found
  }
  return { entries, manager, next, resolver }
}

const textOf = (resolution: Resolution | undefined): string =>
  resolution?._tag === "Resolved" ? resolution.address.join(".") : "unknown"

describe("CsvTableResolver", () => {
  it("has a counter for each row, whose value chooses what the name means", () => {
    const { entries, manager, resolver } = setUp("alpha,10.0.0.1,10.0.0.2|bravo,10.0.0.3,10.0.0.4")
    const [alpha, bravo] = entries()
    assert.strictEqual(
      alpha!.label,
      "NameEntry{name='alpha', initialResolutionHost='10.0.0.1', reResolutionHost='10.0.0.2'}"
    )
    assert.strictEqual(new DataView(alpha!.key.slice().buffer).getInt32(0, true), 5)
    assert.strictEqual(Buffer.from(alpha!.key.subarray(4, 9)).toString(), "alpha")
    const look = (name: string): string => textOf(resolver.resolve(name, "endpoint", false).poll())
    assert.strictEqual(look("alpha"), "10.0.0.1")
    manager.setValue(alpha!.id, 1n)
    assert.strictEqual(look("alpha"), "10.0.0.2")
    assert.strictEqual(look("bravo"), "10.0.0.3")
    manager.setValue(bravo!.id, -1n)
    assert.strictEqual(look("bravo"), "unknown")
  })

  it("looks up hosts of the table that are names, and names that it does not have", () => {
    const { next, resolver } = setUp("alpha,localhost,other")
    assert.strictEqual(textOf(resolver.resolve("alpha", "endpoint", false).poll()), "9.9.9.9")
    assert.strictEqual(textOf(resolver.resolve("charlie", "endpoint", false).poll()), "9.9.9.9")
    assert.deepStrictEqual(next.asked, ["localhost", "charlie"])
  })

  it("takes a bar behind its last row, as Aeron's own tests give it", () => {
    assert.strictEqual(setUp("alpha,one,two|bravo,three,four|").entries().length, 2)
  })

  it.each(["", "alpha", "alpha,one", "alpha,one,two,three", "alpha,one,two||", "|", ",one,two"])(
    "refuses %j, which is no table",
    (table) => {
      assert.throws(() => new CsvTableResolver(table, new Next()), MalformedTable)
    }
  )
})
