import { assert, describe, it } from "@effect/vitest"
import * as ChannelUri from "../../src/channel/ChannelUri.ts"
import * as InterfaceSearch from "../../src/channel/InterfaceSearch.ts"
import { InvalidChannel } from "../../src/channel/InvalidChannel.ts"
import * as SocketAddress from "../../src/channel/SocketAddress.ts"
import { parse, UdpChannel } from "../../src/channel/UdpChannel.ts"

const uriOf = (parameters: string): ChannelUri.ChannelUri => ChannelUri.parse(`aeron:udp?${parameters}`)

const refusal = (run: () => unknown): InvalidChannel => {
  try {
    run()
  } catch (error) {
    assert.instanceOf(error, InvalidChannel)
    return error
  }
  return assert.fail("it was accepted")
}

const channelOf = (parameters: string, suffix = "7"): UdpChannel => {
  const fields = parse(uriOf(parameters))
  const { host, port } = SocketAddress.splitHostPort(fields.endpoint!)!
  const remote = new SocketAddress.SocketAddress(SocketAddress.parseAddress(host)!, port)
  return new UdpChannel(fields, remote, SocketAddress.any(remote.family), () => suffix)
}

describe("SocketAddress", () => {
  it.each([
    ["127.0.0.1", "127.0.0.1"],
    ["::1", "::1"],
    ["::", "::"],
    ["2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
    ["fe80::1%eth0", "fe80::1"],
    ["::ffff:10.1.2.3", "::ffff:a01:203"],
    ["1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"]
  ])("reads %s and writes it as %s", (text, written) => {
    assert.strictEqual(SocketAddress.formatAddress(SocketAddress.parseAddress(text)!), written)
  })

  it.each(["localhost", "1.2.3", "1.2.3.256", "::1::2", "1:2:3:4:5:6:7:8:9", "12345::", ":", ""])(
    "takes %s for a name",
    (text) => {
      assert.strictEqual(SocketAddress.parseAddress(text), undefined)
    }
  )

  it("takes host and port apart", () => {
    assert.deepStrictEqual(SocketAddress.splitHostPort("[::1]:80"), { host: "::1", port: 80 })
    assert.deepStrictEqual(SocketAddress.splitHostPort("name:0"), { host: "name", port: 0 })
    for (const text of ["name", "name:", ":80", "::1:80", "name:65536", "name:x"]) {
      assert.strictEqual(SocketAddress.splitHostPort(text), undefined)
    }
  })

  it("knows groups of both families", () => {
    const address = (text: string) => new SocketAddress.SocketAddress(SocketAddress.parseAddress(text)!, 1)
    assert.isTrue(
      address("224.0.1.1").isMulticast && address("239.255.0.1").isMulticast && address("ff02::1").isMulticast
    )
    assert.isFalse(
      address("223.0.0.1").isMulticast || address("240.0.0.1").isMulticast || address("fe80::1").isMulticast
    )
  })
})

describe("UdpChannel", () => {
  it("has one canonical form for what one socket serves", () => {
    const form = "UDP-0.0.0.0:0-10.0.0.2:40123"
    assert.strictEqual(channelOf("endpoint=10.0.0.2:40123").canonicalForm, form)
    assert.strictEqual(channelOf("endpoint=10.0.0.2:40123|mtu=4096|alias=x").canonicalForm, form)
  })

  it("shares a port that the system chooses with the channels of its tag alone", () => {
    assert.strictEqual(channelOf("endpoint=10.0.0.2:0").canonicalForm, "UDP-0.0.0.0:0-10.0.0.2:0-7")
    assert.strictEqual(channelOf("endpoint=10.0.0.2:0|tags=5").canonicalForm, "UDP-0.0.0.0:0-10.0.0.2:0#5")
  })

  it.each([
    ["", -1],
    ["|channel-snd-ts-offset=16|channel-rcv-ts-offset=16", 16],
    ["|channel-snd-ts-offset=+0|channel-rcv-ts-offset=+0", 0],
    ["|channel-snd-ts-offset=reserved|channel-rcv-ts-offset=reserved", -8]
  ])("has the time in messages at the offset that it names: %s", (parameters, offset) => {
    const { receiveTimestampOffset, sendTimestampOffset } = parse(uriOf(`endpoint=localhost:1${parameters}`))
    assert.deepStrictEqual([sendTimestampOffset, receiveTimestampOffset], [offset, offset])
  })

  it.each([
    ["alias=x", "endpoint"],
    ["endpoint=localhost", "endpoint"],
    ["endpoint=localhost:99999", "endpoint"],
    ["endpoint=localhost:1|control-mode=dynamic", "control-mode"],
    ["endpoint=localhost:1|gtag=x", "gtag"],
    ["endpoint=localhost:1|so-rcvbuf=-1", "so-rcvbuf"],
    ["endpoint=localhost:1|rcv-wnd=9g", "rcv-wnd"],
    ["endpoint=localhost:1|nak-delay=soon", "nak-delay"],
    ["endpoint=localhost:1|channel-snd-ts-offset=2147483648", "channel-snd-ts-offset"],
    ["endpoint=localhost:1|channel-rcv-ts-offset=Reserved", "channel-rcv-ts-offset"]
  ])("refuses aeron:udp?%s, naming %s", (parameters, parameter) => {
    assert.strictEqual(refusal(() => parse(uriOf(parameters))).parameter, parameter)
  })
})

describe("InterfaceSearch", () => {
  const interfaces: ReadonlyArray<InterfaceSearch.LocalInterface> = [
    { name: "lo", address: Uint8Array.of(127, 0, 0, 1), scopeId: 1 },
    { name: "eth0", address: Uint8Array.of(10, 1, 2, 3), scopeId: 2 },
    { name: "eth0", address: SocketAddress.parseAddress("fe80::5")!, scopeId: 2 }
  ]
  const find = (text: string, family: SocketAddress.Family = 4): string =>
    InterfaceSearch.find(uriOf(`endpoint=x:1|interface=${text}`), text, family, interfaces).text

  it.each([
    ["localhost", "127.0.0.1:0"],
    ["10.1.2.3:4000", "10.1.2.3:4000"],
    ["10.1.0.0/16", "10.1.2.3:0"],
    ["10.1.0.0:77/16", "10.1.2.3:77"],
    ["0.0.0.0", "0.0.0.0:0"],
    ["{eth0}", "10.1.2.3:0"],
    ["{eth0}:88", "10.1.2.3:88"]
  ])("finds %s as %s", (text, found) => {
    assert.strictEqual(find(text), found)
  })

  it("finds the address of the endpoint's family", () => {
    assert.strictEqual(find("{eth0}", 6), "[fe80::5]:0")
    assert.strictEqual(find("[fe80::]/64", 6), "[fe80::5]:0")
  })

  it.each(["10.2.0.0/16", "{eth9}", "192.168.0.1", "10.1.2.3:99999", "[fe80::5]", "a:b:c", "{lo"])(
    "refuses %s, saying what there is",
    (text) => {
      const error = refusal(() => find(text))
      assert.strictEqual(error.parameter, "interface")
      assert.strictEqual(error.value, text)
    }
  )
})
