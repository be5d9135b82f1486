/** Names by the system's own resolver. An IPv4 address is preferred where a name has both. */
import * as dns from "node:dns"
import { parseAddress } from "../channel/SocketAddress.ts"
import type { NameResolver, Resolution } from "../naming/NameResolver.ts"

const resolutionOf = (host: string, error: Error | null, text: string): Resolution => {
  const address = error === null ? parseAddress(text) : undefined
  return address === undefined
    ? { _tag: "Unknown", detail: error?.message ?? `${host} has no address` }
    : { _tag: "Resolved", address }
}

export const systemResolver: NameResolver = {
  resolve: (host) => {
    let resolution: Resolution | undefined
    dns.lookup(host, { order: "ipv4first" }, (error, address) => {
      resolution = resolutionOf(host, error, address)
    })
    return { poll: () => resolution }
  }
}
