/**
 * What is wrong with a channel URI: which parameter, its value, and what is allowed. Thrown by the channel kernels,
 * because a URI comes from a peer; the driver answers it as an ON_ERROR response, the client as a typed error.
 *
 * Programs look for the words "invalid channel" in the error log, as Aeron's C driver writes them.
 *
 * `isGeneric` keeps Aeron's split: its driver answers most bad channels with INVALID_CHANNEL, but values that its own
 * number parsers and buffer checks refuse with GENERIC_ERROR.
 */
export class InvalidChannel extends Error {
  readonly _tag = "InvalidChannel"
  readonly channel: string
  readonly parameter: string
  readonly value: string
  readonly allowed: string
  readonly isGeneric: boolean

  constructor(fault: {
    readonly channel: string
    readonly parameter: string
    readonly value: string
    readonly allowed: string
    readonly isGeneric?: boolean
  }) {
    super(
      `${fault.parameter}=${fault.value} is not valid: allowed is ${fault.allowed}; invalid channel=${fault.channel}`
    )
    this.channel = fault.channel
    this.parameter = fault.parameter
    this.value = fault.value
    this.allowed = fault.allowed
    this.isGeneric = fault.isGeneric ?? false
  }
}
