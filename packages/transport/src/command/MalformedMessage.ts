/** A command or response whose lengths do not fit in the record that holds it. Nothing written by a peer is trusted. */
export class MalformedMessage extends Error {
  readonly _tag = "MalformedMessage"
  readonly length: number
  readonly lengthMin: number

  constructor(message: string, length: number, lengthMin: number) {
    super(`${message} is malformed: ${length} bytes, at least ${lengthMin} needed`)
    this.length = length
    this.lengthMin = lengthMin
  }
}

export const checkLength = (message: string, length: number, lengthMin: number): void => {
  if (length < lengthMin) {
    throw new MalformedMessage(message, length, lengthMin)
  }
}
