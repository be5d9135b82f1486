/** Whether a store takes messages, and if not, why. */
import type { FileFailure, FileSpace } from "../mapped/FileSystem.ts"

export class StoreHealth {
  /** The device failed in a sync. Final: only opening the store again can tell what is on the device. */
  flushFailure: FileFailure | undefined = undefined
  /** Queues or index cannot grow. Ends by itself when they can again. */
  dispatchFailure: FileFailure | undefined = undefined
  /** A record of the log that should be there cannot be read. Final. */
  broken: { readonly position: number; readonly reason: string } | undefined = undefined
  /** The device is nearly full. Ends by itself when there is room again. */
  diskFull: (FileSpace & { readonly freeBytesWanted: number }) | undefined = undefined
  /** The last round of cleaning could not remove a file or measure a device. Puts go on; it is tried again. */
  cleaningFailure: FileFailure | undefined = undefined
  isClosed: boolean = false

  get isWriteable(): boolean {
    return (
      this.flushFailure === undefined &&
      this.dispatchFailure === undefined &&
      this.diskFull === undefined &&
      this.broken === undefined &&
      !this.isClosed
    )
  }
}
