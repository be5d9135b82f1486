/** A command that the driver refuses: answered to the client as ON_ERROR and noted in the error log. */
export class ControlProtocolError extends Error {
  readonly _tag = "ControlProtocolError"
  /** One of `ErrorCode`. */
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}
