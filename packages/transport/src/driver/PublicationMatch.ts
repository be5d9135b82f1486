/**
 * A client that asks for a publication that exists already gets the one there is. What its channel asks for must then
 * be what that one has; a parameter that it does not name is not compared.
 */
import type { ChannelUri } from "../channel/ChannelUri.ts"
import type { PublicationParameters } from "../channel/PublicationParameters.ts"
import * as ErrorCode from "../command/ErrorCode.ts"
import { ControlProtocolError } from "./ControlProtocolError.ts"

/** The parts of a publication that a second client may ask about. */
export interface ExistingPublication {
  readonly channel: string
  readonly sessionId: number
  readonly startTermId: number
  readonly startTermOffset: number
  readonly parameters: PublicationParameters
  readonly log: { readonly mtuLength: number; readonly termLength: number; readonly initialTermId: number }
}

type Value = string | number | boolean | undefined

export const confirmMatch = (
  uri: ChannelUri,
  requested: PublicationParameters,
  existing: ExistingPublication
): void => {
  const refuse = (parameter: string, has: Value, wants: Value): ControlProtocolError =>
    new ControlProtocolError(
      ErrorCode.GENERIC_ERROR,
      `existing publication has different '${parameter}': existing=${has} requested=${wants} ` +
        `existingChannel=${existing.channel} channel=${uri.channel}`
    )
  const checks: ReadonlyArray<readonly [parameter: string, has: Value, wants: Value]> = [
    ["mtu", existing.log.mtuLength, requested.mtuLength],
    ["term-length", existing.log.termLength, requested.termLength],
    ["session-id", existing.sessionId, requested.sessionId],
    ["init-term-id", existing.log.initialTermId, requested.initialPosition?.initialTermId],
    ["term-id", existing.startTermId, requested.initialPosition?.termId],
    ["term-offset", existing.startTermOffset, requested.initialPosition?.termOffset]
  ]
  for (const [parameter, has, wants] of checks) {
    if (uri.has(parameter) && has !== wants) {
      throw refuse(parameter, has, wants)
    }
  }
  if (requested.spiesSimulateConnection !== existing.parameters.spiesSimulateConnection) {
    throw refuse("ssc", existing.parameters.spiesSimulateConnection, requested.spiesSimulateConnection)
  }
}
