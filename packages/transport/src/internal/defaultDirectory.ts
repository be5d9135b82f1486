import { existsSync } from "node:fs"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"

const SHARED_MEMORY = "/dev/shm"

/** Where log buffers belong: memory if the system has such a file system, else the directory for temporary files. */
export const rootDirectory = (): string => (existsSync(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir())

/** The directory that every Aeron driver and client of this user takes when none is named. */
export const defaultDirectory = (): string => join(rootDirectory(), `aeron-${userInfo().username}`)
