/** One captured packet with its link layer. */
export interface Packet {
  /** Nanoseconds since 1970 (UTC); 0 where the file has no time. */
  readonly timestampNs: bigint
  /** One of `LinkType`, or another registered number. */
  readonly linkType: number
  /** What was kept of the packet, in memory of its own. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Its length on the wire: more than `bytes` has when it was cut. */
  readonly originalLength: number
}

/** Reads the packets of one file format out of what has arrived. */
export interface PacketReader {
  /** The next packet, or `undefined` when more input is needed. Throws `CaptureFault`. */
  read(): Packet | undefined
}
