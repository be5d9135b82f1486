import { constants } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type { CoreError } from "../CoreError.ts"
import { assert } from "../memory/Assert.ts"
import * as Errno from "../native/Errno.ts"
import * as Files from "../native/Files.ts"
import type { Regions } from "../Region.ts"
import { attempt } from "./attempt.ts"
import * as regionScope from "./regionScope.ts"

type Service = Regions["Service"]

export const makeMapped = (directory: string, reserve: boolean): Effect.Effect<Service, CoreError> =>
  attempt(() => {
    Files.makeDirectory(directory)
    return {
      create: (name, length) =>
        Effect.suspend(() => regionScope.create(join(directory, checked(name)), length, { reserve })),
      open: (name) => Effect.suspend(() => regionScope.map(join(directory, checked(name)))),
      remove: (name) => attempt(() => Files.remove(join(directory, checked(name))))
    }
  })

export const makeHeap = (): Service => {
  const memories = new Map<string, SharedArrayBuffer>()
  return {
    create: (name, length) =>
      attempt(() => {
        if (memories.has(checked(name))) {
          throw Errno.fromNumber(constants.errno.EEXIST, "create", name)
        }
        const memory = new SharedArrayBuffer(length)
        memories.set(name, memory)
        return memory
      }).pipe(Effect.flatMap((memory) => regionScope.heap(name, memory))),
    open: (name) =>
      attempt(() => {
        const memory = memories.get(checked(name))
        if (memory === undefined) {
          throw Errno.fromNumber(constants.errno.ENOENT, "open", name)
        }
        return memory
      }).pipe(Effect.flatMap((memory) => regionScope.heap(name, memory))),
    remove: (name) => Effect.sync(() => void memories.delete(checked(name)))
  }
}

const checked = (name: string): string => {
  assert(
    /^[^/\\]+$/.test(name) && name !== "." && name !== "..",
    "the name of a region is that of a file, without a folder"
  )
  return name
}
