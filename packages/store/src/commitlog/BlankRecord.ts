/** Fills the end of a file that the next record does not fit into. Only its first 8 bytes mean anything. */
import * as RecordDescriptor from "./RecordDescriptor.ts"

export const write = (view: DataView, at: number, length: number): void => {
  view.setInt32(at + RecordDescriptor.TOTAL_SIZE_OFFSET, length)
  view.setInt32(at + RecordDescriptor.MAGIC_OFFSET, RecordDescriptor.MAGIC_BLANK)
}
