/**
 * A directory that is gone when its scope closes, and also when the process has to end before that.
 */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { badInput } from "../CommandError.ts"

const remove = (directory: string): void => fs.rmSync(directory, { recursive: true, force: true, maxRetries: 3 })

/** Makes `<parent>/<prefix>XXXXXX`, readable by its owner alone. */
export const scoped = (parent: string, prefix: string) =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        const directory = fs.mkdtempSync(path.join(parent, prefix))
        const onExit = () => remove(directory)
        process.once("exit", onExit)
        return { directory, onExit }
      },
      catch: (error) => badInput(parent, `no temporary directory can be made in it: ${(error as Error).message}`)
    }),
    ({ directory, onExit }) =>
      Effect.sync(() => {
        remove(directory)
        process.removeListener("exit", onExit)
      })
  ).pipe(Effect.map(({ directory }) => directory))
