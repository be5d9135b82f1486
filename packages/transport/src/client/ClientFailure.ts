/** Why a client ended. It is final: every object of the client fails with it from then on. */
export type ClientFailure =
  /** The driver gave no sign of life for longer than the driver timeout. */
  | { readonly _tag: "DriverTimeout"; readonly ageMs: number; readonly timeoutMs: number }
  /** The driver said goodbye. */
  | { readonly _tag: "DriverEnded" }
  /** Another driver has taken the place of one that gave no sign of life. */
  | { readonly _tag: "DriverReplaced"; readonly ageMs: number }
  /** The driver heard nothing of this client for longer than the liveness timeout, and forgot it. */
  | { readonly _tag: "ClientTimeout"; readonly clientId: bigint }
  /** This process did not run its client for longer than the liveness timeout: the driver forgets it now or soon. */
  | { readonly _tag: "ServiceTimeout"; readonly intervalMs: number; readonly limitMs: number }
  /** So many responses came since the last look that some were overwritten. */
  | { readonly _tag: "Lapped" }
  /** Shared memory holds what cannot be. */
  | { readonly _tag: "Corrupt"; readonly error: unknown }

/** Why one request was not fulfilled. */
export type RequestFailure =
  | ClientFailure
  /** The client was closed. */
  | { readonly _tag: "Closed" }
  /** The driver refused; `code` is one of `ErrorCode`. */
  | { readonly _tag: "Refused"; readonly code: number; readonly message: string }
  | { readonly _tag: "NoResponse"; readonly waitedMs: number }
  /** The ring of commands is full: the driver does not read it. */
  | { readonly _tag: "CommandsFull" }
  /** A log that the driver named could not be mapped. */
  | { readonly _tag: "Unmappable"; readonly error: unknown }
