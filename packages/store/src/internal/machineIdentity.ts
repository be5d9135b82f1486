import * as fs from "node:fs"

const BOOT_ID_PATH = "/proc/sys/kernel/random/boot_id"

/**
 * Names this boot of the machine and the place of a directory on it: equal names mean that the page cache is the same.
 * A copy of the directory is another place. Empty where the system does not name its boots.
 */
export const machineIdentity = (directory: string): string => {
  try {
    const { dev, ino } = fs.statSync(directory, { bigint: true })
    return `${fs.readFileSync(BOOT_ID_PATH, "utf8").trim()} ${dev} ${ino}`
  } catch {
    return ""
  }
}
