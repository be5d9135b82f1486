/**
 * Datagrams taken from a socket by one call of `recvmmsg`: room for the longest ones, used again by the next call. With
 * GRO one entry may hold several datagrams of one length, of which the last may be shorter.
 */
import * as Libc from "./Libc.ts"
import * as Mmsghdr from "./MmsghdrDescriptor.ts"
import * as SockaddrDescriptor from "./SockaddrDescriptor.ts"

const SLOT_LENGTH = 65_536
const NAME_SPACE = 32
const TRUNCATED = 0x20
/** `SOL_UDP` and `UDP_GRO`. */
const LEVEL_UDP = 17
const TYPE_GRO = 104

export class DatagramBatch {
  readonly capacity: number
  /** Where datagrams lie; valid until the next receive. */
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly view: DataView<ArrayBuffer>
  /** The array of `struct mmsghdr`, for the call. */
  readonly headers: Uint8Array<ArrayBuffer>
  /** The senders' addresses, `NAME_SPACE` bytes each. */
  readonly names: Uint8Array<ArrayBuffer>
  private readonly headersView: DataView<ArrayBuffer>
  private readonly controlsView: DataView<ArrayBuffer>
  // The headers point to it, so it must live as long as they do.
  private readonly iovecs: Uint8Array<ArrayBuffer>

  constructor(capacity: number) {
    this.capacity = capacity
    this.bytes = new Uint8Array(capacity * SLOT_LENGTH)
    this.view = new DataView(this.bytes.buffer)
    this.headers = new Uint8Array(capacity * Mmsghdr.LENGTH)
    this.headersView = new DataView(this.headers.buffer)
    this.names = new Uint8Array(capacity * NAME_SPACE)
    this.iovecs = new Uint8Array(Math.max(capacity, 8) * Mmsghdr.IOVEC_LENGTH)
    const controls = new Uint8Array(Math.max(capacity, 8) * Mmsghdr.CMSG_SPACE)
    this.controlsView = new DataView(controls.buffer)
    this.link(controls)
  }

  /** Before each call: the lengths that the last one has overwritten. */
  reset(): void {
    for (let index = 0; index < this.capacity; index++) {
      const header = index * Mmsghdr.LENGTH
      this.headersView.setUint32(header + Mmsghdr.NAME_LENGTH_OFFSET, SockaddrDescriptor.LENGTH_MAX, true)
      this.headersView.setUint32(header + Mmsghdr.CONTROL_LENGTH_OFFSET, Mmsghdr.CMSG_SPACE, true)
    }
  }

  offsetAt(index: number): number {
    return index * SLOT_LENGTH
  }

  lengthAt(index: number): number {
    return this.headersView.getUint32(index * Mmsghdr.LENGTH + Mmsghdr.BYTES_OFFSET, true)
  }

  /** What `recvmmsg` writes by itself. */
  setLength(index: number, length: number): void {
    this.headersView.setUint32(index * Mmsghdr.LENGTH + Mmsghdr.BYTES_OFFSET, length, true)
  }

  isTruncatedAt(index: number): boolean {
    return (this.headersView.getUint32(index * Mmsghdr.LENGTH + Mmsghdr.FLAGS_OFFSET, true) & TRUNCATED) !== 0
  }

  /** The length of each datagram of the entry but the last: the entry's own when it holds only one. */
  segmentLengthAt(index: number): number {
    const controlLength = this.headersView.getUint32(index * Mmsghdr.LENGTH + Mmsghdr.CONTROL_LENGTH_OFFSET, true)
    const control = index * Mmsghdr.CMSG_SPACE
    const isGro =
      controlLength > Mmsghdr.CMSG_DATA_OFFSET &&
      this.controlsView.getInt32(control + Mmsghdr.CMSG_LEVEL_OFFSET, true) === LEVEL_UDP &&
      this.controlsView.getInt32(control + Mmsghdr.CMSG_TYPE_OFFSET, true) === TYPE_GRO
    return isGro ? this.controlsView.getInt32(control + Mmsghdr.CMSG_DATA_OFFSET, true) : this.lengthAt(index)
  }

  /** Where the sender's address begins in `names`. */
  nameOffsetAt(index: number): number {
    return index * NAME_SPACE
  }

  sourceAt(index: number): SockaddrDescriptor.InternetAddress {
    return SockaddrDescriptor.decode(this.names, index * NAME_SPACE)
  }

  private link(controls: Uint8Array<ArrayBuffer>): void {
    const iovecsView = new DataView(this.iovecs.buffer)
    const [bytesAt, namesAt, iovecsAt, controlsAt] = [this.bytes, this.names, this.iovecs, controls].map(Libc.address)
    for (let index = 0; index < this.capacity; index++) {
      const header = index * Mmsghdr.LENGTH
      const iovec = index * Mmsghdr.IOVEC_LENGTH
      const put = (offset: number, value: bigint): void => this.headersView.setBigUint64(header + offset, value, true)
      put(Mmsghdr.NAME_OFFSET, namesAt! + BigInt(index * NAME_SPACE))
      put(Mmsghdr.IOVEC_OFFSET, iovecsAt! + BigInt(iovec))
      put(Mmsghdr.IOVEC_COUNT_OFFSET, 1n)
      put(Mmsghdr.CONTROL_OFFSET, controlsAt! + BigInt(index * Mmsghdr.CMSG_SPACE))
      iovecsView.setBigUint64(iovec, bytesAt! + BigInt(index * SLOT_LENGTH), true)
      iovecsView.setBigUint64(iovec + 8, BigInt(SLOT_LENGTH), true)
    }
  }
}
