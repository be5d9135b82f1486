/** The parts of Linux's `/proc` that say what a process may have. */
import type { Limit } from "./MachineFacts.ts"

const numberOf = (text: string): number => (text === "unlimited" ? Infinity : Number(text))

const escaped = (name: string): string => name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** A line of `/proc/self/limits`: `Max open files            1024                 524288               files`. */
export const limit = (limits: string, name: string): Limit | undefined => {
  const found = new RegExp(`^${escaped(name)} +(\\S+) +(\\S+)`, "m").exec(limits)
  return found === null ? undefined : { soft: numberOf(found[1]!), hard: numberOf(found[2]!) }
}

const unescape = (path: string): string =>
  path.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))

/** The type of the file system that holds an absolute path, by `/proc/self/mountinfo`: that of the longest mount point. */
export const fileSystemOf = (mountInfo: string, path: string): string | undefined => {
  let longest = -1
  let type: string | undefined
  for (const line of mountInfo.split("\n")) {
    const [mount, source] = line.split(" - ")
    const point = unescape(mount?.split(" ")[4] ?? "")
    const holds = point === "/" || path === point || path.startsWith(`${point}/`)
    // Of mounts on one point the last one is seen.
    if (source !== undefined && point !== "" && holds && point.length >= longest) {
      longest = point.length
      type = source.split(" ")[0]
    }
  }
  return type
}
