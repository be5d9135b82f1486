/**
 * `struct flock` of `fcntl(2)`, which has its fields in another order on each system.
 *
 * ```
 *  Linux, 64-bit (32 bytes)                         macOS (24 bytes)
 *   0      2        4     8         16       24      0         8        16      20     22
 *  +------+--------+-----+---------+--------+-----+  +---------+--------+-------+------+--------+
 *  | type | whence |  -  |  start  | length | pid |  |  start  | length |  pid  | type | whence |
 *  +------+--------+-----+---------+--------+-----+  +---------+--------+-------+------+--------+
 * ```
 */
import { isMacOs } from "./Platform.ts"

const LAYOUT = isMacOs
  ? { type: 20, whence: 22, start: 0, length: 8, pid: 16, size: 24 }
  : { type: 0, whence: 2, start: 8, length: 16, pid: 24, size: 32 }

export const F_WRLCK: number = isMacOs ? 3 : 1
export const F_UNLCK = 2
const SEEK_SET = 0

/** A lock of `type` on `length` bytes from `start` of the file. The pid must be 0 for open-file-description locks. */
export const encode = (type: number, start: number, length: number): Uint8Array => {
  const bytes = new Uint8Array(LAYOUT.size)
  const view = new DataView(bytes.buffer)
  view.setInt16(LAYOUT.type, type, true)
  view.setInt16(LAYOUT.whence, SEEK_SET, true)
  view.setBigInt64(LAYOUT.start, BigInt(start), true)
  view.setBigInt64(LAYOUT.length, BigInt(length), true)
  view.setInt32(LAYOUT.pid, 0, true)
  return bytes
}
