/** What a store is made with, concluded: every field has its value. Names are RocketMQ's. */
export interface StoreOptions {
  readonly storePathRootDir: string
  /** Directories of the log; new files go in turn to those that are not full. */
  readonly storePathCommitLog: ReadonlyArray<string>
  readonly mappedFileSizeCommitLog: number
  readonly mappedFileSizeConsumeQueue: number
  readonly mapperFileSizeBatchConsumeQueue: number
  /** Entries of consume queues have more in an extended queue. */
  readonly enableConsumeQueueExt: boolean
  readonly mappedFileSizeConsumeQueueExt: number
  readonly bitMapLengthConsumeQueueExt: number
  readonly maxMessageSize: number
  /** How long bodies are compressed that their client has not. */
  readonly compressType: "NONE" | "ZLIB" | "LZ4" | "ZSTD"
  readonly compressMsgBodyOverHowmuch: number
  readonly compressLevel: number
  readonly flushDiskType: "ASYNC_FLUSH" | "SYNC_FLUSH"
  readonly syncFlushTimeout: number
  readonly flushIntervalCommitLog: number
  readonly flushCommitLogLeastPages: number
  readonly flushCommitLogThoroughInterval: number
  /** Memory of files made ahead is made ready for stores, and kept. */
  readonly warmMapedFileEnable: boolean
  readonly flushLeastPagesWhenWarmMapedFile: number
  /** Puts go to memory first, from where they are committed to the files. */
  readonly transientStorePoolEnable: boolean
  readonly transientStorePoolSize: number
  readonly fastFailIfNoBufferInStorePool: boolean
  readonly commitIntervalCommitLog: number
  readonly commitCommitLogLeastPages: number
  readonly commitCommitLogThoroughInterval: number
  readonly wakeCommitWhenPutMessage: boolean
  readonly flushIntervalConsumeQueue: number
  readonly flushConsumeQueueLeastPages: number
  readonly flushConsumeQueueThoroughInterval: number
  readonly enableLmq: boolean
  readonly enableMultiDispatch: boolean
  readonly maxLmqConsumeQueueNum: number
  readonly messageIndexEnable: boolean
  /** Also index tags, under the key that RocketMQ 5.5 gives them. */
  readonly indexTags: boolean
  readonly maxHashSlotNum: number
  readonly maxIndexNum: number
  readonly enabledAppendPropCRC: boolean
  readonly checkCRCOnRecover: boolean
  readonly forceVerifyPropCRC: boolean
  /** Hours that messages are kept. */
  readonly fileReservedTime: number
  /** Hours of the day, separated by semicolons, at which expired files are removed. */
  readonly deleteWhen: string
  readonly cleanResourceInterval: number
  readonly deleteCommitLogFilesInterval: number
  readonly deleteFileBatchMax: number
  readonly cleanFileForciblyEnable: boolean
  readonly diskMaxUsedSpaceRatio: number
  readonly diskSpaceCleanForciblyRatio: number
  readonly diskSpaceWarningLevelRatio: number
  /** Bytes that dispatch may fall behind before a put helps it along. */
  readonly dispatchBehindBytesMax: number
  /** Host and port that records name as their store and, by default, as their origin. */
  readonly storeHost: string
  /** Files are read and written by position, none is mapped. */
  readonly writeWithoutMmap: boolean
  /** Other processes are shown how the store does. */
  readonly countersFileEnable: boolean
  readonly readOnly: boolean
  /** Sizes that are neither said nor found: who reads before the writer's first file has them from that. */
  readonly guessed?: ReadonlySet<SizeName>
}

/** What shows in the files of a store. */
export type SizeName =
  | "mappedFileSizeCommitLog"
  | "mappedFileSizeConsumeQueue"
  | "mapperFileSizeBatchConsumeQueue"
  | "mappedFileSizeConsumeQueueExt"
  | "maxHashSlotNum"
  | "maxIndexNum"

/** Lengths of the files of a store that is there already. */
export interface FoundLengths {
  readonly commitLog?: number | undefined
  readonly consumeQueue?: number | undefined
  readonly batchConsumeQueue?: number | undefined
  readonly consumeQueueExt?: number | undefined
}
