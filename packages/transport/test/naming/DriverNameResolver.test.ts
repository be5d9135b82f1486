/** Drivers that tell each other their names: over a simulated network, and over the system's sockets. */
import * as fs from "node:fs"
import { gunzipSync } from "node:zlib"
import { assert, describe, it, onTestFinished } from "vitest"
import { CountersManager } from "@millrace/core/kernel/counters/CountersManager"
import { CountersReader } from "@millrace/core/kernel/counters/CountersReader"
import { frameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import { SocketAddress } from "../../src/channel/SocketAddress.ts"
import * as SystemCounters from "../../src/driver/SystemCounters.ts"
import * as PortableUdpPort from "../../src/internal/portableUdpPort.ts"
import { SimulatedNetwork } from "../../src/media/SimulatedNetwork.ts"
import type { UdpPort } from "../../src/media/UdpPort.ts"
import { TYPE_ID as BOOTSTRAP_TYPE_ID } from "../../src/naming/BootstrapNeighbor.ts"
import {
  CACHE_ENTRIES_TYPE_ID,
  DriverNameResolver,
  NEIGHBORS_MAX,
  NEIGHBORS_TYPE_ID
} from "../../src/naming/DriverNameResolver.ts"
import { type NameResolver, type Resolution, resolved } from "../../src/naming/NameResolver.ts"
import { NAMES_MAX } from "../../src/naming/ResolverCache.ts"

const PORT = 8050
const SECOND_NS = 1e9

/** The system's resolver: what `hosts` says now. */
const system = (hosts: Map<string, Uint8Array>): NameResolver => ({
  resolve: (host) => {
    const address = hosts.get(host)
    return resolved(address === undefined ? { _tag: "Unknown", detail: host } : { _tag: "Resolved", address })
  }
})

interface Host {
  readonly resolver: DriverNameResolver
  readonly errors: ReadonlyArray<string>
  readonly counter: (typeId: number) => { readonly value: number; readonly label: string } | undefined
  readonly systemCounter: (id: number) => number
}

const makeHost = (
  name: string,
  address: Uint8Array,
  bootstrapNeighbors: ReadonlyArray<string>,
  udp: UdpPort,
  hosts: Map<string, Uint8Array> = new Map(),
  port = PORT
): Host => {
  const metadata = new HeapRegion("metadata", 256 * 1024)
  const values = new HeapRegion("values", 64 * 1024)
  const manager = new CountersManager(metadata.buffer(), values.buffer(), () => 0)
  const reader = new CountersReader(metadata.buffer(), values.buffer())
  const systemCounters = SystemCounters.SystemCounters.allocate(manager, {
    version: "0.0.0",
    commit: "test",
    resolverName: name,
    threadingMode: "SHARED",
    conductorThreshold: "1s",
    senderThreshold: "1s",
    receiverThreshold: "1s",
    nameResolverThreshold: "1s"
  })
  const errors: Array<string> = []
  const resolver = new DriverNameResolver(
    {
      name,
      local: new SocketAddress(address, port),
      onError: (error) => errors.push(String(error)),
      bootstrapNeighbors,
      neighborTimeoutNs: 10 * SECOND_NS,
      selfResolutionIntervalNs: SECOND_NS,
      neighborResolutionIntervalNs: 2 * SECOND_NS,
      bootstrapResolutionIntervalNs: 10 * SECOND_NS,
      mtuLength: 1408,
      udp,
      systemCounters
    },
    system(hosts)
  )
  resolver.init(manager, 0)
  onTestFinished(() => resolver.close())
  return {
    resolver,
    errors,
    counter: (typeId) => {
      let found: { readonly value: number; readonly label: string } | undefined
      reader.forEach((record) => {
        if (record.typeId === typeId) {
          found = { value: Number(reader.value(record.id)), label: record.label }
        }
      })
      return found
    },
    systemCounter: (id) => Number(reader.value(id))
  }
}

const addressOf = (last: number): Uint8Array => Uint8Array.of(10, 0, 0, last)
const look = ({ resolver }: Host, name: string): string => {
  const resolution: Resolution | undefined = resolver.resolve(name, "endpoint", false).poll()
  return resolution?._tag === "Resolved" ? resolution.address.join(".") : "unknown"
}

class World {
  nowNs = 0
  readonly network = new SimulatedNetwork({ nanoTime: () => this.nowNs, random: () => 0.5, queueLength: 1000 })
  hosts: Array<Host> = []

  add(name: string, last: number, ...bootstrapNeighbors: ReadonlyArray<string>): Host {
    const host = makeHost(name, addressOf(last), bootstrapNeighbors, this.network.host(addressOf(last)))
    this.hosts.push(host)
    return host
  }

  run(seconds: number): void {
    const endNs = this.nowNs + seconds * SECOND_NS
    for (; this.nowNs < endNs; this.nowNs += 50e6) {
      for (const { resolver } of this.hosts) {
        resolver.doWork(this.nowNs)
      }
    }
  }
}

describe("DriverNameResolver", () => {
  it("learns the names of drivers that it was not told of, from those that it was", () => {
    const world = new World()
    const alpha = world.add("alpha", 1)
    const bravo = world.add("bravo", 2, "10.0.0.1:8050")
    const charlie = world.add("charlie", 3, "10.0.0.2:8050")
    assert.strictEqual(look(alpha, "charlie"), "unknown")
    world.run(6)
    for (const host of [alpha, bravo, charlie]) {
      assert.deepStrictEqual(
        ["alpha", "bravo", "charlie"].map((name) => look(host, name)),
        ["10.0.0.1", "10.0.0.2", "10.0.0.3"]
      )
      assert.strictEqual(host.counter(NEIGHBORS_TYPE_ID)!.value, 2)
      assert.strictEqual(host.counter(CACHE_ENTRIES_TYPE_ID)!.value, 2)
    }
    assert.strictEqual(alpha.counter(NEIGHBORS_TYPE_ID)!.label, "Resolver neighbors: bound 10.0.0.1:8050")
    assert.strictEqual(alpha.counter(CACHE_ENTRIES_TYPE_ID)!.label, "Resolver cache entries: name=alpha")
    assert.deepStrictEqual(bravo.counter(BOOTSTRAP_TYPE_ID), {
      value: 1,
      label: "Bootstrap neighbor: name=10.0.0.1:8050 resolved=10.0.0.1:8050"
    })
  })

  it("forgets a driver that is silent for the neighbor timeout", () => {
    const world = new World()
    const alpha = world.add("alpha", 1)
    world.add("bravo", 2, "10.0.0.1:8050")
    world.run(3)
    assert.strictEqual(look(alpha, "bravo"), "10.0.0.2")
    world.hosts = [alpha]
    world.run(9)
    assert.strictEqual(look(alpha, "bravo"), "10.0.0.2")
    world.run(4)
    assert.strictEqual(look(alpha, "bravo"), "unknown")
    assert.strictEqual(alpha.counter(NEIGHBORS_TYPE_ID)!.value, 0)
    assert.strictEqual(alpha.counter(CACHE_ENTRIES_TYPE_ID)!.value, 0)
  })

  it("looks a bootstrap neighbor's name up again until it answers", () => {
    const world = new World()
    const alpha = world.add("alpha", 1)
    const hosts = new Map<string, Uint8Array>()
    const bravo = makeHost("bravo", addressOf(2), ["seed:8050"], world.network.host(addressOf(2)), hosts)
    world.hosts.push(bravo)
    world.run(5)
    assert.strictEqual(look(bravo, "alpha"), "unknown")
    hosts.set("seed", addressOf(1))
    world.run(12)
    assert.strictEqual(look(bravo, "alpha"), "10.0.0.1")
    assert.strictEqual(look(alpha, "bravo"), "10.0.0.2")
    assert.strictEqual(
      bravo.counter(BOOTSTRAP_TYPE_ID)!.label,
      "Bootstrap neighbor: name=seed:8050 resolved=10.0.0.1:8050"
    )
  })

  it("notes a bootstrap neighbor that is none, or that nobody knows, and begins with the others", () => {
    const world = new World()
    const alpha = world.add("alpha", 1)
    const bravo = world.add("bravo", 2, "nowhere:8050", "no port", "10.0.0.1:8050")
    world.run(2)
    assert.deepStrictEqual(bravo.errors, [
      'Error: WARN resolverBootstrapNeighbor: "no port" is left out: it is no host:port',
      'Error: WARN resolverBootstrapNeighbor: "nowhere:8050" is left out: nowhere'
    ])
    assert.strictEqual(look(alpha, "bravo"), "10.0.0.2")
    assert.strictEqual(look(bravo, "alpha"), "10.0.0.1")
  })

  it("knows its own name, and asks the system for those that nobody told", () => {
    const hosts = new Map([["elsewhere", addressOf(77)]])
    const world = new World()
    const alpha = makeHost("alpha", addressOf(1), [], world.network.host(addressOf(1)), hosts)
    assert.strictEqual(look(alpha, "alpha"), "10.0.0.1")
    assert.strictEqual(look(alpha, "elsewhere"), "10.0.0.77")
  })

  it("follows a name that is told from another address", () => {
    const world = new World()
    const alpha = world.add("alpha", 1)
    const first = world.add("bravo", 2, "10.0.0.1:8050")
    world.run(3)
    world.hosts = world.hosts.filter((host) => host !== first)
    world.add("bravo", 4, "10.0.0.1:8050")
    world.run(3)
    assert.strictEqual(look(alpha, "bravo"), "10.0.0.4")
  })

  it("believes no address that is none, unless a driver tells it of itself", () => {
    const world = new World()
    const alpha = world.add("alpha", 1)
    const stranger = world.network.host(addressOf(66)).open({
      local: new SocketAddress(addressOf(66), 1234),
      remote: undefined,
      receiveBufferLength: 0,
      sendBufferLength: 0
    })
    const tell = (flags: string): void => {
      const bytes = new Uint8Array(
        Buffer.from(
          `200000000000070001${flags}65a000000000000000000800${Buffer.from("stranger").toString("hex")}0000`,
          "hex"
        )
      )
      stranger.send(frameBuffer(bytes), 0, bytes.length, new SocketAddress(addressOf(1), PORT))
      world.run(0.1)
    }
    tell("00")
    assert.strictEqual(look(alpha, "stranger"), "unknown")
    tell("80")
    assert.strictEqual(look(alpha, "stranger"), "10.0.0.66")
  })

  it("counts what is no RES, and grows only so far, whoever makes up names", () => {
    const world = new World()
    const alpha = world.add("alpha", 1)
    const stranger = world.network.host(addressOf(66)).open({
      local: new SocketAddress(addressOf(66), 1234),
      remote: undefined,
      receiveBufferLength: 0,
      sendBufferLength: 0
    })
    const target = new SocketAddress(addressOf(1), PORT)
    const send = (hex: string): void => {
      const bytes = new Uint8Array(Buffer.from(hex, "hex"))
      stranger.send(frameBuffer(bytes), 0, bytes.length, target)
    }
    // A DATA header, an entry that reaches beyond its frame, a frame without an entry.
    for (const hex of ["2000000000000100", "2000000000000700018065a0000000007f000001ff01", "0800000000000700", "00"]) {
      send(hex)
    }
    world.run(0.1)
    assert.strictEqual(alpha.systemCounter(SystemCounters.INVALID_PACKETS), 4)
    for (let n = 0; n < NAMES_MAX + 500; n++) {
      const name = Buffer.from(`host${n}`.padEnd(8, "x")).toString("hex")
      const address = n.toString(16).padStart(8, "0")
      send(`2000000000000700018065a000000000${address === "00000000" ? "0a000001" : address}0800${name}0000`)
      if (n % 50 === 0) {
        world.run(0.1)
      }
    }
    world.run(0.5)
    assert.strictEqual(alpha.counter(CACHE_ENTRIES_TYPE_ID)!.value, NAMES_MAX)
    assert.strictEqual(alpha.counter(NEIGHBORS_TYPE_ID)!.value, NEIGHBORS_MAX)
  })

  it("reads what Aeron's drivers tell each other, and tells its own name as they do", () => {
    const url = new URL("../../../core/test/fixtures/aeron/wire/resolver.ndjson.gz", import.meta.url)
    const lines = gunzipSync(fs.readFileSync(url)).toString().trim().split("\n")
    const frames = lines
      .map((line) => JSON.parse(line) as { readonly to: string; readonly payload: string })
      .filter(({ payload }) => payload.slice(12, 16) === "0700")
    const world = new World()
    // Alpha of the capture listened on port 41060 of 127.0.0.1.
    const loopback = Uint8Array.of(127, 0, 0, 1)
    const port = world.network.host(loopback)
    const alpha = makeHost("alpha", loopback, ["127.0.0.1:41061"], port, new Map(), 41_060)
    const bravo = port.open({
      local: new SocketAddress(loopback, 41_061),
      remote: undefined,
      receiveBufferLength: 0,
      sendBufferLength: 0
    })
    world.hosts.push(alpha)
    for (const { payload, to } of frames) {
      if (to === "driver-a") {
        const bytes = new Uint8Array(Buffer.from(payload, "hex"))
        bravo.send(frameBuffer(bytes), 0, bytes.length, new SocketAddress(loopback, 41_060))
      }
    }
    world.run(1)
    assert.strictEqual(alpha.systemCounter(SystemCounters.INVALID_PACKETS), 0)
    assert.deepStrictEqual(
      ["bravo", "charlie-with-a-long-name"].map((name) => look(alpha, name)),
      ["127.0.0.1", "127.0.0.1"]
    )
    assert.strictEqual(alpha.counter(NEIGHBORS_TYPE_ID)!.value, 2)
    const told: Array<string> = []
    bravo.poll(
      ({ bytes }, offset, length) => told.push(Buffer.from(bytes.subarray(offset, offset + length)).toString("hex")),
      10
    )
    const expected = frames.find(({ payload, to }) => to === "driver-b" && payload.includes("616c706861"))!.payload
    // Behind the name lies what lay there before, in theirs; zeros in ours.
    assert.strictEqual(told[0]!.slice(0, 46), expected.slice(0, 46))
    assert.strictEqual(told[0]!.length, expected.length)
  })

  it("tells and hears names over real sockets", async () => {
    const fail = (error: unknown): never => assert.fail(String(error))
    const port = PortableUdpPort.make({
      onSendFailed: () => fail("send"),
      onDropped: () => fail("drop"),
      onError: fail
    })
    const loopback = Uint8Array.of(127, 0, 0, 1)
    const alpha = makeHost("alpha", loopback, [], port, new Map(), 0)
    const seed = alpha.counter(NEIGHBORS_TYPE_ID)!.label.split(" ").at(-1)!
    const bravo = makeHost("bravo", loopback, [seed], port, new Map(), 0)
    for (let nowNs = 0; look(alpha, "bravo") === "unknown" || look(bravo, "alpha") === "unknown"; nowNs += 50e6) {
      alpha.resolver.doWork(nowNs)
      bravo.resolver.doWork(nowNs)
      await new Promise((resolve) => setImmediate(resolve))
    }
    assert.strictEqual(look(alpha, "bravo"), "127.0.0.1")
    assert.strictEqual(look(bravo, "alpha"), "127.0.0.1")
  })
})
