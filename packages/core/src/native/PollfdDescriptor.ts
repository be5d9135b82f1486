/**
 * `struct pollfd`, one after another in an array, the same on every system:
 *
 * ```
 *   0                4          6          8
 *  +----------------+----------+----------+
 *  |  fd (int)      |  events  |  revents |
 *  +----------------+----------+----------+
 * ```
 */
export const LENGTH = 8
const EVENTS_OFFSET = 4
const REVENTS_OFFSET = 6

/** There is data to read. */
const POLLIN = 1

/** The array that `poll(2)` takes, asking for readability of each descriptor. */
export const encode = (fds: ReadonlyArray<number>): Uint8Array => {
  const entries = new Uint8Array(fds.length * LENGTH)
  const view = new DataView(entries.buffer)
  fds.forEach((fd, index) => {
    view.setInt32(index * LENGTH, fd, true)
    view.setInt16(index * LENGTH + EVENTS_OFFSET, POLLIN, true)
  })
  return entries
}

/** Whether the descriptor at `index` has something to tell: data, the end of it, or an error. */
export const isReady = (entries: Uint8Array, index: number): boolean => {
  const offset = index * LENGTH + REVENTS_OFFSET
  return entries[offset] !== 0 || entries[offset + 1] !== 0
}
