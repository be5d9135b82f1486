/** What a long run keeps: memory in use after a collection. */
import { setTimeout } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")

/** The memory of dead buffers is given back after a collection, not by it: so a second one waits for the first. */
export const bytesInUse = async (): Promise<number> => {
  collect()
  await setTimeout(20)
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
