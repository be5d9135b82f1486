/** What a run may leave behind and must not: files in its temporary directory, processes, directories in shared memory. */
import * as fs from "node:fs"
import * as path from "node:path"

/** The children of a process, with the words of their command lines (Linux). */
export const childrenOf = (pid: number): ReadonlyArray<{ readonly pid: number; readonly command: string }> => {
  const pids = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim().split(" ").filter(Boolean)
  return pids.map((child) => ({
    pid: Number(child),
    command: fs.readFileSync(`/proc/${child}/cmdline`, "latin1").replaceAll("\0", " ").trim()
  }))
}

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Everything under a directory, by path. */
export const filesIn = (directory: string): ReadonlyArray<string> =>
  fs
    .readdirSync(directory, { recursive: true })
    .map((entry) => path.join(String(entry)))
    .toSorted()

/** What an embedded driver of this process has in shared memory. */
export const sharedMemoryOf = (pid: number): ReadonlyArray<string> =>
  fs.readdirSync("/dev/shm").filter((name) => name.startsWith(`millrace-${pid}-`))

/** Removes what a killed process could not remove. */
export const removeSharedMemoryOf = (pid: number): void =>
  sharedMemoryOf(pid).forEach((name) => fs.rmSync(path.join("/dev/shm", name), { recursive: true, force: true }))
