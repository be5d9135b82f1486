/** Judges the place where a store lies or is to lie. */
import { bytes, duration } from "../output/Quantity.ts"
import * as Check from "./Check.ts"
import { type Disk, isUnusable, type MachineFacts } from "./MachineFacts.ts"

const GIB = 1 << 30
/** A file of the log, which is taken as a whole before it is written. */
const FREE_WANTED = 10 * GIB
const FREE_MIN = GIB
/** RocketMQ removes old files when its device is as full as this. */
const USED_MAX = 0.75
const SYNC_MS_MAX = 50
/** Without memory that all processes share, or without locks that hold. */
const REMOTE: ReadonlySet<string> = new Set(["nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "ceph", "virtiofs"])
/** Gone with the machine. */
const VOLATILE: ReadonlySet<string> = new Set(["tmpfs", "ramfs"])

const missing = (disk: Disk): ReadonlyArray<string> => [
  ...(disk.canReserve ? [] : ["taking blocks ahead"]),
  ...(disk.canMap ? [] : ["mapping files"]),
  ...(disk.canLock ? [] : ["locks"]),
  ...(disk.canPunch ? [] : ["giving blocks back"])
]

const fileSystem = (disk: Disk): Check.Check => {
  const type = disk.fileSystem ?? "unknown"
  const lacks = missing(disk)
  const isUnfit = !disk.canLock || !disk.canReserve
  const isDoubtful = REMOTE.has(type) || VOLATILE.has(type) || lacks.length > 0
  const lacking = lacks.length === 0 ? "" : `; not here: ${lacks.join(", ")}`
  return Check.of({
    name: "file system",
    status: isUnfit ? "fail" : isDoubtful ? "warn" : "ok",
    value: `${disk.directory} is on ${type}${VOLATILE.has(type) ? ", which is gone when the machine is" : ""}${lacking}`,
    limit: "a local one such as ext4 or xfs",
    why: "a store takes blocks before it writes, maps its files and locks its directory",
    mend: "df -hT -x tmpfs -x devtmpfs    # and give the store a directory on a local disk: --store DIR"
  })
}

const space = ({ directory, freeBytes, totalBytes }: Disk): Check.Check => {
  const used = totalBytes > 0 ? 1 - freeBytes / totalBytes : 1
  const byFree = Check.atLeast(freeBytes, FREE_WANTED, FREE_MIN)
  return Check.of({
    name: "disk space",
    status: byFree === "ok" && used > USED_MAX ? "warn" : byFree,
    value: `${bytes(freeBytes)} of ${bytes(totalBytes)} free, ${Math.round(used * 100)} % used`,
    limit: `no more than ${USED_MAX * 100} % used, and ${bytes(FREE_WANTED)} free (${bytes(FREE_MIN)} at the least)`,
    why: "a file of the log takes 1 GiB at once; on a full disk old files go, then puts are refused",
    mend: `du -xh ${directory} | sort -h | tail`
  })
}

const sync = ({ syncMs }: Disk): Check.Check =>
  Check.of({
    name: "disk sync",
    status: syncMs <= SYNC_MS_MAX ? "ok" : "warn",
    value: `4 KiB in ${duration(syncMs)}`,
    limit: duration(SYNC_MS_MAX),
    why: "a put with --flush sync waits that long",
    mend: "iostat -dx 1 5"
  })

export const of = ({ disk }: MachineFacts): ReadonlyArray<Check.Check> =>
  isUnusable(disk)
    ? [
        Check.of({
          name: "disk",
          status: "fail",
          value: `${disk.directory}: ${disk.problem}`,
          limit: "a directory that may be written",
          why: "a store writes its files there",
          mend: disk.problem.startsWith("EROFS")
            ? `sudo mount -o remount,rw "$(df --output=target ${disk.directory} | tail -1)"`
            : `sudo install -d -o "$USER" ${disk.directory}`
        })
      ]
    : [fileSystem(disk), space(disk), sync(disk)]
