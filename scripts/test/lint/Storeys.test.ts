import assert from "node:assert/strict"
import { describe, it } from "vitest"
import { judgeBarrel, judgeImport, roomOf } from "../../lint/Storeys.ts"

const AREA = "packages/core/src/logbuffer/TermReader.ts"
const NATIVE = "packages/core/src/native/Mapping.ts"
const PUBLIC = "packages/transport/src/Publication.ts"
const GLUE = "packages/transport/src/internal/driverLayer.ts"
const TEST = "packages/store/test/commitlog/CommitLog.test.ts"

const allowed = (from: string, specifier: string, typeOnly = false) =>
  assert.equal(judgeImport(from, specifier, typeOnly), undefined)
const refused = (from: string, specifier: string, reason: RegExp, typeOnly = false) =>
  assert.match(judgeImport(from, specifier, typeOnly) ?? "allowed", reason)

describe("Storeys", () => {
  it("tells the storey of a file by its path", () => {
    const storey = (path: string) => roomOf(path).storey
    assert.equal(storey(AREA), "area")
    assert.equal(storey(NATIVE), "native")
    assert.equal(storey(PUBLIC), "public")
    assert.equal(storey(GLUE), "glue")
    assert.equal(storey("packages/store/src/native/Files.ts"), "area")
    assert.equal(storey("packages/cli/src/commands/demo.ts"), "program")
    assert.equal(storey("packages/simulator/src/World.ts"), "program")
    assert.equal(storey("packages/benchmarks/src/Measure.ts"), "outside")
    assert.equal(storey(TEST), "outside")
    assert.equal(storey("scripts/tidy/Tidy.ts"), "outside")
  })

  it("lets an area import areas, its own and those of core", () => {
    allowed(AREA, "./LogBufferDescriptor.ts")
    allowed(AREA, "../memory/AtomicBuffer.ts")
    allowed("packages/store/src/commitlog/CommitLog.ts", "@millrace/core/kernel/memory/AtomicBuffer")
    allowed("packages/transport/src/driver/Sender.ts", "../media/UdpPort.ts")
  })

  it("refuses effect in an area, also as a type", () => {
    refused(AREA, "effect", /uses other kernels only/)
    refused(AREA, "effect/Effect", /uses other kernels only/)
    refused(AREA, "effect/Effect", /uses other kernels only/, true)
    refused(NATIVE, "effect/Effect", /uses other kernels only/)
    refused(AREA, "some-package", /uses other kernels only/)
  })

  it("refuses node: I/O in an area, with and without the prefix", () => {
    refused(AREA, "node:fs", /port that is passed in/)
    refused(AREA, "fs", /port that is passed in/)
    refused(AREA, "node:fs/promises", /port that is passed in/)
    refused("packages/store/src/mapped/MappedFile.ts", "node:path", /port that is passed in/)
  })

  it("allows node:zlib in the area files named for it and in no other", () => {
    allowed("packages/store/src/commitlog/Checksum.ts", "node:zlib")
    allowed("packages/store/src/commitlog/BodyCompression.ts", "node:zlib")
    refused("packages/store/src/commitlog/CommitLog.ts", "node:zlib", /port that is passed in/)
    refused("packages/store/src/commitlog/Checksum.ts", "node:fs", /port that is passed in/)
  })

  it("refuses internal and public modules in a kernel", () => {
    refused(AREA, "../internal/agentFiber.ts", /internal\/ stand above it/)
    refused(AREA, "../Region.ts", /public modules stand above it/)
    refused(NATIVE, "../CoreError.ts", /public modules stand above it/)
    refused("packages/transport/src/client/ClientConductor.ts", "@millrace/core/AgentRunner", /other kernels only/)
  })

  it("lets an area name the types of native and nothing more", () => {
    allowed("packages/store/src/mapped/FileSystem.ts", "@millrace/core/kernel/native/Errno", true)
    refused("packages/store/src/mapped/FileSystem.ts", "@millrace/core/kernel/native/Errno", /port's adapter/)
    allowed("packages/core/src/memory/MappedRegion.ts", "../native/Mapping.ts", true)
    refused("packages/core/src/memory/MappedRegion.ts", "../native/Mapping.ts", /port's adapter/)
  })

  it("lets native load koffi, node: I/O and the areas below it", () => {
    allowed(NATIVE, "koffi")
    allowed(NATIVE, "node:fs")
    allowed(NATIVE, "../memory/AtomicBuffer.ts")
    allowed("packages/core/test/native/Mapping.test.ts", "koffi")
  })

  it("refuses koffi everywhere else", () => {
    refused(AREA, "koffi", /core\/native alone/)
    refused(GLUE, "koffi", /core\/native alone/)
    refused(PUBLIC, "koffi", /core\/native alone/)
    refused("packages/store/src/native/Files.ts", "koffi", /core\/native alone/)
    refused("packages/benchmarks/core/mapping.ts", "koffi", /core\/native alone/)
  })

  it("lets public modules and glue use Effect, kernels and core", () => {
    allowed(PUBLIC, "effect/Effect")
    allowed(PUBLIC, "./internal/publicationSink.ts")
    allowed(PUBLIC, "./client/ConcurrentPublication.ts")
    allowed(PUBLIC, "@millrace/core/kernel/logbuffer/OfferResult")
    allowed(GLUE, "node:fs")
    allowed(GLUE, "@millrace/core/kernel/native/Mapping")
  })

  it("refuses node: I/O in a public module, and allows what only computes", () => {
    refused(PUBLIC, "node:fs", /internal\/ and core\/native/)
    refused(PUBLIC, "node:worker_threads", /internal\/ and core\/native/)
    allowed("packages/core/src/EntryFile.ts", "node:url")
  })

  it("keeps transport and store apart, in sources and in tests", () => {
    refused(PUBLIC, "@millrace/store/Topic", /transport never imports store/)
    refused(GLUE, "@millrace/store", /transport never imports store/)
    refused(TEST, "@millrace/transport/Client", /store never imports transport/)
    allowed("packages/cli/src/demo/recorder.ts", "@millrace/store/Topic")
    allowed("packages/cli/src/demo/recorder.ts", "@millrace/transport/Client")
  })

  it("refuses to reach into another package by a path", () => {
    refused(GLUE, "../../../core/src/memory/Int64.ts", /reaches out of its package/)
    refused(TEST, "../../../core/src/memory/Int64.ts", /reaches out of its package/)
    allowed("packages/simulator/src/transport/World.ts", "../../../transport/src/driver/Conductor.ts")
    refused(PUBLIC, "../test/fixtures/goldens.ts", /not a source file/)
    allowed(TEST, "../../src/commitlog/CommitLog.ts")
  })

  it("refuses barrels in the packages' sources and index files everywhere", () => {
    assert.match(judgeBarrel(PUBLIC, "effect") ?? "", /barrel/)
    assert.match(judgeBarrel(GLUE, "@effect/platform-node") ?? "", /barrel/)
    assert.match(judgeBarrel("packages/cli/src/bin.ts", "effect/cli") ?? "", /barrel/)
    assert.match(judgeBarrel("packages/cli/src/bin.ts", "@millrace/store") ?? "", /barrel/)
    assert.match(judgeBarrel(TEST, "../src/index.ts") ?? "", /index file/)
  })

  it("allows modules by name, and barrels in tests and examples", () => {
    assert.equal(judgeBarrel(PUBLIC, "effect/Effect"), undefined)
    assert.equal(judgeBarrel("packages/cli/src/bin.ts", "effect/cli/Command"), undefined)
    assert.equal(judgeBarrel("packages/cli/src/bin.ts", "@effect/platform-node/NodeRuntime"), undefined)
    assert.equal(judgeBarrel(TEST, "effect"), undefined)
    assert.equal(judgeBarrel("examples/trades.ts", "effect"), undefined)
  })
})
