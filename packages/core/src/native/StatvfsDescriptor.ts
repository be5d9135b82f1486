/**
 * `struct statvfs` of 64-bit Linux, glibc and musl alike: what `statvfs(3)` fills in.
 *
 * ```
 *   0                   8                   16                  24
 *  +-------------------+-------------------+-------------------+-------------------+
 *  |      f_bsize      |      f_frsize     |      f_blocks     |      f_bfree      |
 *  +-------------------+-------------------+-------------------+-------------------+
 *  |      f_bavail     |  f_files  f_ffree  f_favail  f_fsid  f_flag  f_namemax …  |
 *  +-------------------+-----------------------------------------------------------+
 * ```
 * Blocks are counted in units of `f_frsize`, whatever `f_bsize` says.
 */
const FRAGMENT_SIZE_OFFSET = 8
const BLOCKS_OFFSET = 16
const BLOCKS_AVAILABLE_OFFSET = 32
/** 112 bytes with both libraries; the rest is room for a library that appends fields. */
const LENGTH = 256

export const allocate = (): Uint8Array => new Uint8Array(LENGTH)

export const read = (buffer: Uint8Array): { readonly freeBytes: number; readonly totalBytes: number } => {
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength)
  const field = (offset: number): number => Number(view.getBigUint64(offset, true))
  const unit = field(FRAGMENT_SIZE_OFFSET)
  return { freeBytes: field(BLOCKS_AVAILABLE_OFFSET) * unit, totalBytes: field(BLOCKS_OFFSET) * unit }
}
