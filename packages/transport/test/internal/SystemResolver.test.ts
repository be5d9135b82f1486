/** Names as the system knows them. Which addresses a name has is told by a lookup in the place of the system's. */
import * as dns from "node:dns"
import { afterEach, assert, describe, it, vi } from "vitest"
import { systemResolver } from "../../src/internal/systemResolver.ts"

type Done = (error: NodeJS.ErrnoException | null, address: string, family: number) => void
type Lookup = (host: string, options: dns.LookupOneOptions, done: Done) => void

vi.mock("node:dns", async (importActual) => ({ ...(await importActual<typeof dns>()), lookup: vi.fn<Lookup>() }))

const lookup = vi.mocked(dns.lookup as Lookup)

/** A name with both addresses, the greater family first, as resolvers give it that sort by reachability. */
const both = ["::1", "127.0.0.1"]

afterEach(() => lookup.mockReset())

describe("the system's resolver", () => {
  it("prefers an IPv4 address where a name has both", () => {
    lookup.mockImplementation((_host, { order }, done) => {
      const [address] = order === "ipv4first" ? both.toReversed() : both
      done(null, address!, 0)
    })
    assert.deepStrictEqual(systemResolver.resolve("dual", "endpoint", false).poll(), {
      _tag: "Resolved",
      address: Uint8Array.of(127, 0, 0, 1)
    })
  })

  it("gives the IPv6 address of a name that has no other", () => {
    lookup.mockImplementation((_host, _options, done) => done(null, "::1", 6))
    const resolution = systemResolver.resolve("six", "endpoint", false).poll()
    assert(resolution?._tag === "Resolved")
    assert.strictEqual(resolution.address.length, 16)
  })

  it("waits for the system without blocking, and says why a name is unknown", () => {
    let done: Done = () => assert.fail("was not asked")
    lookup.mockImplementation((_host, _options, callback) => (done = callback))
    const looking = systemResolver.resolve("nobody", "endpoint", false)
    assert.isUndefined(looking.poll())
    done(new Error("getaddrinfo ENOTFOUND nobody"), "", 0)
    assert.deepStrictEqual(looking.poll(), { _tag: "Unknown", detail: "getaddrinfo ENOTFOUND nobody" })
  })
})
