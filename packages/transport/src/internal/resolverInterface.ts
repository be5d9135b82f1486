/**
 * Where a driver with a name listens for the names of others: an address or the name of a host, with a port or without, one
 * with a mask that an address of this machine must match, or the name of an interface. Looked up before the driver starts,
 * since its conductor never waits.
 */
import * as dns from "node:dns/promises"
import * as Effect from "effect/Effect"
import * as InterfaceSearch from "../channel/InterfaceSearch.ts"
import { parseAddress, SocketAddress } from "../channel/SocketAddress.ts"
import { InvalidOption, type TransportError } from "../TransportError.ts"
import type { DriverStart } from "./driverStart.ts"
import { isGossiping, type NamingOptions } from "./nameResolver.ts"
import { systemInterfaces } from "./systemInterfaces.ts"
import { fail } from "./transportError.ts"

const FORM = "address[:port][/maskbits], host[:port] or {interface}[:port] of this machine"

const refuse = (value: string, allowed: string): Effect.Effect<never, TransportError> =>
  fail(new InvalidOption({ option: "resolverInterface", value, allowed }))

const lookUp = (text: string, host: string): Effect.Effect<Uint8Array, TransportError> =>
  Effect.tryPromise(() => dns.lookup(host, { order: "ipv4first" })).pipe(
    Effect.map(({ address }) => parseAddress(address)),
    Effect.orElseSucceed(() => undefined),
    Effect.flatMap((address) =>
      address === undefined ? refuse(text, `${FORM}; ${host} is not known`) : Effect.succeed(address)
    )
  )

const listenAt = Effect.fnUntraced(function* (text: string): Effect.fn.Return<SocketAddress, TransportError> {
  const form = InterfaceSearch.parse(text)
  if (form === undefined) {
    return yield* refuse(text, FORM)
  }
  if (form.host !== undefined && form.mask === undefined) {
    return new SocketAddress(parseAddress(form.host) ?? (yield* lookUp(text, form.host)), form.port)
  }
  const found = InterfaceSearch.search(form, form.host?.includes(":") === true ? 6 : 4, systemInterfaces())
  return typeof found === "string" ? yield* refuse(text, found) : found
})

/** With the address in place of what stands for it. */
export const resolve = (start: DriverStart): Effect.Effect<DriverStart, TransportError> => {
  const { naming } = start
  return isGossiping(naming)
    ? Effect.map(listenAt(naming.interface), ({ text }): DriverStart => ({ ...start, naming: at(naming, text) }))
    : Effect.succeed(start)
}

const at = (naming: NamingOptions, text: string): NamingOptions => ({ ...naming, interface: text })
