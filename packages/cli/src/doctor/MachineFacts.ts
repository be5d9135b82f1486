/** What was found out about a machine; what it does not have, or does not tell, is undefined. */
export interface Space {
  readonly directory: string
  /** `tmpfs`, `ext4`, … */
  readonly fileSystem: string | undefined
  readonly freeBytes: number
  readonly totalBytes: number
}

export interface Unusable {
  readonly directory: string
  readonly problem: string
}

export interface Disk extends Space {
  /** Whether blocks can be taken for a file before it is written. */
  readonly canReserve: boolean
  /** Whether blocks can be given back out of the middle of a file. */
  readonly canPunch: boolean
  readonly canMap: boolean
  readonly canLock: boolean
  /** Median time of a sync of 4 KiB. */
  readonly syncMs: number
  /** Files that a store there has, each of which takes a mapping and, while it is synced, a descriptor. */
  readonly storeFiles: number
}

export interface Clock {
  /** `tsc`, `kvm-clock`, … */
  readonly source: string | undefined
  readonly sources: ReadonlyArray<string>
  /** By how much the time of day moved against the monotonic clock while both were watched. */
  readonly stepMs: number
  readonly watchedMs: number
  readonly readNs: number
}

export interface Limit {
  readonly soft: number
  readonly hard: number
}

/** A driver's directory whose driver has died. */
export interface LeftBehind {
  readonly directory: string
  readonly bytes: number
}

export interface MachineFacts {
  readonly nodeVersion: string
  readonly nodeVersionMin: string
  readonly platform: string
  readonly arch: string
  /** Why libc cannot be called; undefined where it can. */
  readonly nativeProblem: string | undefined
  readonly koffiVersion: string | undefined
  readonly sharedMemory: Space | Unusable
  readonly leftBehind: ReadonlyArray<LeftBehind>
  readonly receiveBufferMax: number | undefined
  readonly sendBufferMax: number | undefined
  readonly mapCountMax: number | undefined
  readonly clock: Clock
  readonly disk: Disk | Unusable
  readonly descriptors: Limit | undefined
  readonly lockedMemory: Limit | undefined
}

export const isUnusable = (place: Space | Unusable): place is Unusable => "problem" in place
