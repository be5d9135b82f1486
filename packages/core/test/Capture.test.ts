import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { readFileSync } from "node:fs"
import * as Capture from "../src/Capture.ts"
import * as Datagram from "../src/Datagram.ts"
import { readAll } from "./frame/captures.ts"

const fixture = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`fixtures/captures/${name}`, import.meta.url)))

const decode = (bytes: Uint8Array): ReadonlyArray<Capture.CapturedPacket> => Result.getOrThrow(Capture.decode(bytes))

const failure = (bytes: Uint8Array): Capture.CaptureError => Result.getOrThrow(Result.flip(Capture.decode(bytes)))

const datagram = (payload: Uint8Array, index = 0, address = "127.0.0.1"): Capture.UdpDatagram =>
  Capture.UdpDatagram.make({
    timestampNs: 1_700_000_000_123_456_789n + BigInt(index),
    source: { address, port: 50_123 },
    target: { address, port: 40_456 },
    payload
  })

const encode = (format: Capture.Format, datagrams: Iterable<Capture.UdpDatagram>): Uint8Array =>
  Result.getOrThrow(Capture.encode(format, datagrams))

const FORMATS: ReadonlyArray<Capture.Format> = ["pcap", "pcapng"]

/** The exchange in the captures that tcpdump and dumpcap made: the same frames over IPv4 and over IPv6. */
const KINDS = [
  "Setup",
  "StatusMessage",
  "Heartbeat",
  "Heartbeat",
  "Data",
  "Nak",
  "Error",
  "Resolution",
  "StatusMessage"
]

const frameKinds = (packets: ReadonlyArray<Capture.CapturedPacket>): ReadonlyArray<string> =>
  packets
    .filter(Capture.CapturedPacket.guards.UdpDatagram)
    .map(({ payload }) => Result.getOrThrow(Datagram.decode(payload)).frames[0]._tag)

describe("Capture", () => {
  it.each([
    ["loopback.pcap", 1000n],
    ["loopback-nano.pcap", 1n],
    ["any.pcap", 1000n],
    ["any-2.pcap", 1000n],
    ["loopback.pcapng", 1n]
  ] as const)("reads what tcpdump and dumpcap wrote: %s", (name, unitNs) => {
    const packets = decode(fixture(name))
    assert.deepStrictEqual(frameKinds(packets), [...KINDS, ...KINDS])
    packets.forEach((packet, index) => {
      assert.strictEqual(packet._tag, "UdpDatagram")
      const address = index < KINDS.length ? "127.0.0.1" : "::1"
      assert.deepInclude(packet, { source: { address, port: 50_123 }, target: { address, port: 40_456 } })
      assert.strictEqual(packet.timestampNs % unitNs, 0n)
    })
    const times = packets.map(({ timestampNs }) => timestampNs)
    assert.deepStrictEqual(
      times,
      times.toSorted((a, b) => (a < b ? -1 : 1))
    )
    assert.isTrue(unitNs === 1000n || times.some((time) => time % 1000n !== 0n))
  })

  it("reads packets of several interfaces, each in its own unit of time", () => {
    const merged = decode(fixture("merged.pcapng"))
    const parts = [...decode(fixture("loopback-nano.pcap")), ...decode(fixture("any-2.pcap"))]
    assert.deepStrictEqual(
      merged,
      parts.toSorted((a, b) => (a.timestampNs < b.timestampNs ? -1 : 1))
    )
  })

  it.each([
    ["big-endian.pcap", 123_456_000n],
    ["big-endian-nano.pcap", 123_456_000n]
  ] as const)("reads big-endian files and says why a packet holds no datagram: %s", (name, fractionNs) => {
    const packets = decode(fixture(name))
    assert.deepStrictEqual(
      packets.map((packet) => (packet._tag === "UdpDatagram" ? packet.payload.length : packet.reason)),
      [40, 40, 40, 40, 40, "NotUdp", "Fragment", "Fragment", "Fragment", "NotUdp", 1]
    )
    assert.deepStrictEqual(
      packets.map(({ timestampNs }) => timestampNs / 1_000_000_000n - 1_700_000_000n),
      [0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n, 10n]
    )
    assert.isTrue(packets.every(({ timestampNs }) => absolute((timestampNs % 1_000_000_000n) - fractionNs) < 1000n))
    assert.deepInclude(packets[2], { source: { address: "fe80::1", port: 50_123 } })
    assert.deepInclude(packets[3], { target: { address: "2001:db8::2", port: 40_456 } })
  })

  it("says which packets were cut when they were captured", () => {
    const packets = decode(fixture("cut.pcap"))
    assert.deepStrictEqual(
      packets.map((packet) => packet._tag === "OtherPacket" && [packet.reason, packet.bytes.length]),
      [
        ["Truncated", 50],
        ["Truncated", 20]
      ]
    )
  })

  it.each(FORMATS)("reads what it writes: %s", (format) => {
    const datagrams = readAll()
      .slice(0, 300)
      .map(({ payload }, index) => datagram(payload, index, index % 2 === 0 ? "10.1.2.3" : "2001:db8::7"))
    assert.deepStrictEqual(decode(encode(format, datagrams)), datagrams)
  })

  it.each(FORMATS)("writes the shortest and the longest payload: %s", (format) => {
    for (const length of [0, 1, 2, 3, 65_507]) {
      const one = datagram(new Uint8Array(length).fill(0xff))
      assert.deepStrictEqual(decode(encode(format, [one])), [one])
    }
  })

  it("reads pcapng sections of both byte orders in one file", () => {
    const little = encode("pcapng", [datagram(Uint8Array.of(1))])
    const big = bigEndianSection(Uint8Array.of(2))
    const both = new Uint8Array(little.length + big.length)
    both.set(little)
    both.set(big, little.length)
    assert.deepStrictEqual(
      decode(both).map((packet) => packet._tag === "UdpDatagram" && [packet.timestampNs, packet.payload[0]]),
      [
        [1_700_000_000_123_456_789n, 1],
        [(0x1_0000_0002n * 1_000_000_000n) / 1024n + 5_000_000_000n, 2],
        [0n, 2]
      ]
    )
  })

  it.each(FORMATS)("reads chunks of any size as the whole: %s", (format) => {
    const datagrams = [0, 1, 2, 3, 4].map((index) => datagram(new Uint8Array(index * 33), index))
    const file = encode(format, datagrams)
    for (const size of [1, 3, 7, 100, file.length]) {
      const chunks: Array<Uint8Array> = []
      for (let offset = 0; offset < file.length; offset += size) {
        chunks.push(file.subarray(offset, offset + size))
      }
      const packets = Effect.runSync(Stream.runCollect(Capture.fromBytes(Stream.fromIterable(chunks))))
      assert.deepStrictEqual(packets, datagrams)
    }
  })

  it.effect("streams datagrams to a file and back", () =>
    Effect.gen(function* () {
      const datagrams = [0, 1, 2].map((index) => datagram(new Uint8Array(100), index))
      const packets = yield* Stream.fromIterable(datagrams).pipe(
        Capture.toBytes("pcapng"),
        Capture.fromBytes,
        Stream.runCollect
      )
      assert.deepStrictEqual(packets, datagrams)
    })
  )

  it.effect("gives the packets in front of damage, then fails", () =>
    Effect.gen(function* () {
      const file = encode(
        "pcapng",
        [0, 1, 2].map((index) => datagram(new Uint8Array(100), index))
      )
      const cut = file.subarray(0, file.length - 1)
      const seen: Array<Capture.CapturedPacket> = []
      const error = yield* Capture.fromBytes(Stream.succeed(cut)).pipe(
        Stream.runForEach((packet) => Effect.sync(() => seen.push(packet))),
        Effect.flip
      )
      assert.strictEqual(seen.length, 2)
      assert.strictEqual(error._tag, "CaptureError")
      assert.isTrue(error.position > 0 && error.position < file.length)
    })
  )

  it("refuses what is not a capture", () => {
    assert.match(failure(new Uint8Array(64)).message, /begins with 0x00000000/)
    assert.match(failure(new Uint8Array(0)).message, /ends 0 bytes into/)
    assert.match(failure(Uint8Array.of(0x0a, 0x0d)).message, /ends 2 bytes into/)
  })

  it("refuses files cut at every byte, unless the cut is between packets", () => {
    for (const format of FORMATS) {
      const file = encode(format, [datagram(Uint8Array.of(1)), datagram(Uint8Array.of(2))])
      const wholes = Array.from({ length: file.length }, (_, length) => file.subarray(0, length)).filter((cut) =>
        Result.isSuccess(Capture.decode(cut))
      )
      // Behind the file header (in pcapng: behind the section header too) and behind the first packet.
      assert.strictEqual(wholes.length, format === "pcap" ? 2 : 3)
    }
  })

  it("takes any damaged byte for another packet or refuses the file with its typed error", () => {
    for (const bytes of [fixture("loopback.pcap"), fixture("loopback.pcapng"), fixture("big-endian.pcap")]) {
      for (let at = 0; at < bytes.length; at++) {
        for (const value of [0, 0x7f, 0x80, 0xff]) {
          const damaged = bytes.slice()
          damaged[at] = value
          const result = Capture.decode(damaged)
          assert.isTrue(Result.isSuccess(result) || result.failure instanceof Capture.CaptureError)
        }
      }
    }
  })

  it("refuses lengths that ask for more memory than any packet needs", () => {
    const pcap = encode("pcap", [datagram(new Uint8Array(4))])
    new DataView(pcap.buffer).setUint32(24 + 8, 262_145, true)
    assert.match(failure(pcap).message, /262145 bytes is above the limit of 262144/)
    const pcapng = encode("pcapng", [])
    new DataView(pcapng.buffer).setUint32(4, 16 * 1024 * 1024 + 4, true)
    assert.match(failure(pcapng).message, /a block of 16777220 bytes/)
  })

  it("refuses to write what a file cannot hold", () => {
    const refused = (format: Capture.Format, changes: Partial<Capture.UdpDatagram>): string =>
      Result.getOrThrow(Result.flip(Capture.encode(format, [{ ...datagram(new Uint8Array(1)), ...changes }]))).message
    assert.match(refused("pcap", { source: { address: "localhost", port: 1 } }), /localhost is not an IPv4 or IPv6/)
    assert.match(refused("pcap", { target: { address: "::1", port: 1 } }), /127.0.0.1 and ::1 are not of one family/)
    assert.match(refused("pcap", { payload: new Uint8Array(65_508) }), /65508 bytes is above the limit of 65507/)
    assert.match(refused("pcap", { timestampNs: -1n }), /the time -1 is not within 0/)
    assert.match(refused("pcap", { timestampNs: 4_294_967_296_000_000_000n }), /which pcap can tell/)
    assert.match(refused("pcapng", { timestampNs: 0x1_0000_0000_0000_0000n }), /which pcapng can tell/)
    assert.throws(() =>
      Capture.encode("pcap", [{ ...datagram(new Uint8Array(1)), source: { address: "127.0.0.1", port: 65_536 } }])
    )
  })
})

const absolute = (value: bigint): bigint => (value < 0n ? -value : value)

/**
 * A big-endian section with an interface that counts 1/1024 s from 5 s on, an obsolete packet block and a simple one,
 * and a block of a kind that nobody knows.
 */
const bigEndianSection = (payload: Uint8Array): Uint8Array => {
  const packet = encode("pcap", [datagram(payload)]).subarray(24 + 16)
  const padded = Math.ceil(packet.length / 4) * 4
  const words: Array<number> = []
  const block = (type: number, ...body: ReadonlyArray<number>) => {
    const length = 12 + body.length * 4
    words.push(type, length, ...body, length)
  }
  const packetWords = (): ReadonlyArray<number> => {
    const bytes = new Uint8Array(padded)
    bytes.set(packet)
    return Array.from({ length: padded / 4 }, (_, index) => new DataView(bytes.buffer).getUint32(index * 4))
  }
  block(0x0a0d0d0a, 0x1a2b3c4d, 0x0001_0000, 0xffff_ffff, 0xffff_ffff)
  block(1, 101 << 16, 0, 0x0009_0001, 0x8a00_0000, 0x000e_0008, 0, 5, 0)
  block(0x0bad, 1, 2, 3)
  block(2, 0x0000_0007, 1, 2, packet.length, packet.length, ...packetWords())
  block(3, packet.length, ...packetWords())
  const bytes = new Uint8Array(words.length * 4)
  words.forEach((word, index) => new DataView(bytes.buffer).setUint32(index * 4, word))
  return bytes
}
