/** What the driver has in shared memory, and what it does when that is short. */
import { LENGTH_DEFAULT as LOSS_REPORT_LENGTH } from "@millrace/core/kernel/lossreport/LossReport"
import { flag, GIB, integer, INT_MAX, KIB, MIB, size } from "./Setting.ts"

export const memorySettings = {
  termBufferLength: size(
    "aeron.term.buffer.length",
    16 * MIB,
    "Length of a term of a network publication: a power of two. An embedded driver takes 4 MiB, or less where the directory is small.",
    64 * KIB,
    GIB
  ),
  ipcTermBufferLength: size(
    "aeron.ipc.term.buffer.length",
    64 * MIB,
    "Length of a term of an IPC publication: a power of two. An embedded driver takes 4 MiB, or less where the directory is small.",
    64 * KIB,
    GIB
  ),
  termBufferSparseFile: flag(
    "aeron.term.buffer.sparse.file",
    false,
    "Log buffers take no blocks when they are made: a full file system then ends the process at the first touch. Aeron's default is true."
  ),
  performStorageChecks: flag(
    "aeron.perform.storage.checks",
    true,
    "A log buffer that the directory has no room for is refused before it is made, and a directory that runs short is noted in the error log."
  ),
  lowFileStoreWarningThreshold: size(
    "aeron.low.file.store.warning.threshold",
    160 * MIB,
    "With at most this much room left a warning is noted in the error log whenever a log buffer is made.",
    0,
    Number.MAX_SAFE_INTEGER
  ),
  filePageSize: size(
    "aeron.file.page.size",
    4 * KIB,
    "Page size that files are rounded up to: a power of two.",
    4 * KIB,
    GIB
  ),
  toDriverBufferLength: size(
    "aeron.conductor.buffer.length",
    MIB + 768,
    "Length of the ring of commands: a power of two and 768. Aeron has no shorter one than the default.",
    64 * KIB + 768,
    GIB + 768
  ),
  toClientsBufferLength: size(
    "aeron.clients.buffer.length",
    MIB + 128,
    "Length of the broadcast of responses: a power of two and 128. Aeron has no shorter one than the default.",
    64 * KIB + 128,
    GIB + 128
  ),
  countersValuesBufferLength: size(
    "aeron.counters.buffer.length",
    8 * MIB,
    "Length of the counters' values, 128 bytes each; their descriptions take four times as much. Aeron has no shorter one than 1 MiB.",
    64 * KIB,
    500 * MIB
  ),
  errorBufferLength: size(
    "aeron.error.buffer.length",
    4 * MIB,
    "Length of the error log. Aeron has no shorter one than the default.",
    64 * KIB,
    GIB
  ),
  lossReportBufferLength: size(
    "aeron.loss.report.buffer.length",
    LOSS_REPORT_LENGTH,
    "Length of the loss report.",
    KIB,
    INT_MAX
  ),
  resourceFreeLimit: integer(
    "aeron.driver.resource.free.limit",
    1,
    "Log buffers of ended streams that are unmapped in one cycle of the conductor.",
    1
  )
} as const
