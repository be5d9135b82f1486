import { networkInterfaces } from "node:os"
import type { LocalInterface } from "../channel/InterfaceSearch.ts"
import { parseAddress } from "../channel/SocketAddress.ts"

/** The addresses of this machine, as they are now. */
export const systemInterfaces = (): ReadonlyArray<LocalInterface> =>
  Object.entries(networkInterfaces()).flatMap(([name, addresses]) =>
    (addresses ?? []).flatMap((info) => {
      const address = parseAddress(info.address)
      return address === undefined ? [] : [{ name, address, scopeId: info.scopeid ?? 0 }]
    })
  )
