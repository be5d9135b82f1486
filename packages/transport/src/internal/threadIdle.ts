import type { IdleStrategy } from "@millrace/core/IdleStrategy"
import type { IdleOptions } from "../MediaDriverConfig.ts"
import type { NetworkRole } from "./agentLinks.ts"

/**
 * What a thread of the driver does without work. `roles` are the network's agents on it: none on the conductor's, which
 * has all agents where it is the driver's only one.
 */
export const idleOf = (
  idles: IdleOptions,
  isOnlyThread: boolean,
  roles: ReadonlyArray<NetworkRole>
): IdleStrategy | undefined => ownIdleOf(idles, isOnlyThread, roles) ?? idles.idle

const ownIdleOf = (
  idles: IdleOptions,
  isOnlyThread: boolean,
  [role, ...others]: ReadonlyArray<NetworkRole>
): IdleStrategy | undefined => {
  if (role === undefined) {
    return isOnlyThread ? idles.sharedIdle : idles.conductorIdle
  }
  if (others.length > 0) {
    return idles.sharedNetworkIdle
  }
  return role === "sender" ? idles.senderIdle : idles.receiverIdle
}
