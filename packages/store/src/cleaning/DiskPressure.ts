/**
 * How full the devices of a log are, and what follows from it. A ratio alone says little: a tenth of a large device is
 * plenty. So forced cleaning and refusal also ask for free room below a few files of the log. A device that cannot be
 * measured causes nothing, but is spoken of.
 */
import { FileFailure, type FileSpace, type FileSystem } from "../mapped/FileSystem.ts"

export const NONE = 0
/** Expired files are removed at any hour. */
export const RECLAIM = 1
/** The oldest files are removed whatever their age. */
export const FORCE = 2
/** No more messages are taken. */
export const FULL = 3

export interface DiskPressureOptions {
  /** Percent of the device in use. */
  readonly diskMaxUsedSpaceRatio: number
  readonly diskSpaceCleanForciblyRatio: number
  readonly diskSpaceWarningLevelRatio: number
  readonly mappedFileSizeCommitLog: number
}

/** Free room for this many files of the log is no reason to do anything by force. */
const FREE_FILES = 4

const levelOf = ({ freeBytes, totalBytes }: FileSpace, options: DiskPressureOptions): number => {
  if (totalBytes <= 0) {
    return NONE
  }
  const usedPercent = (100 * (totalBytes - freeBytes)) / totalBytes
  const isTight = freeBytes < FREE_FILES * options.mappedFileSizeCommitLog
  if (isTight && usedPercent > options.diskSpaceWarningLevelRatio) {
    return FULL
  }
  if (isTight && usedPercent > options.diskSpaceCleanForciblyRatio) {
    return FORCE
  }
  return usedPercent > options.diskMaxUsedSpaceRatio ? RECLAIM : NONE
}

/** Free room with which a device that was full takes messages again. */
export const freeBytesWanted = ({ totalBytes }: FileSpace, options: DiskPressureOptions): number =>
  Math.min(
    FREE_FILES * options.mappedFileSizeCommitLog,
    Math.ceil((totalBytes * (100 - options.diskSpaceWarningLevelRatio)) / 100)
  )

export interface Measurement {
  /** Of the device under least pressure, NONE where none could be measured. */
  readonly level: number
  readonly space: FileSpace | undefined
  /** Directories whose device is nearly full. */
  readonly full: ReadonlySet<string>
  /** Why some device could not be measured. */
  readonly failure: FileFailure | undefined
}

/** Measures the devices of all directories. New files go to those that have room, so the one with most of it counts. */
export const measure = (
  fileSystem: FileSystem,
  directories: ReadonlyArray<string>,
  options: DiskPressureOptions
): Measurement => {
  let level = NONE
  let roomiest: FileSpace | undefined
  let failure: FileFailure | undefined = undefined
  const full = new Set<string>()
  for (const directory of directories) {
    try {
      const space = fileSystem.space(directory)
      const itsLevel = levelOf(space, options)
      const isLess = itsLevel < level || (itsLevel === level && space.freeBytes > (roomiest?.freeBytes ?? -1))
      if (roomiest === undefined || isLess) {
        level = itsLevel
        roomiest = space
      }
      if (itsLevel >= FORCE) {
        full.add(directory)
      }
    } catch (error) {
      if (!(error instanceof FileFailure)) {
        throw error
      }
      failure = error
    }
  }
  return { level, space: roomiest, full, failure }
}
