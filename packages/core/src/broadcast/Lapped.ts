/**
 * Thrown to a receiver that was overtaken: the transmitter overwrote messages it had not received. How many is not
 * known. Receiving again goes on with what is still there; a protocol that needs every message has to start anew.
 */
export class Lapped extends Error {
  readonly _tag = "Lapped"
  /** The region's name: a path, or a name for heap memory. */
  readonly region: string
  /** Bytes a receiver may fall behind. */
  readonly capacity: number

  constructor(region: string, capacity: number) {
    super(
      `a receiver of the broadcast buffer ${region} fell more than ${capacity} bytes behind and lost messages: ` +
        "receive more often, or make the buffer larger"
    )
    this.region = region
    this.capacity = capacity
  }
}
