/**
 * Aeron's driver and client in C as processes of a benchmark, those of the interop tests, where `AERONMD` names the
 * driver. They have no row otherwise.
 */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { type Aeron, open } from "./java.shared.ts"

const builder = join(import.meta.dirname, "..", "..", "..", "..", "interop", "aeron", "buildC.ts")

type Found = { readonly driver: string; readonly client: string } | { readonly missing: string }

const find = (): Found => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [builder], { encoding: "utf8" })
  return status === 0 ? (JSON.parse(stdout) as Found) : { missing: stderr }
}

/** The driver in one thread, as Java's and ours. */
const make = (driver: string, client: string): Aeron => ({
  startDriver: (directory) =>
    open("aeronmd", driver, [
      `-Daeron.dir=${directory}`,
      "-Daeron.threading.mode=SHARED",
      "-Daeron.shared.idle.strategy=backoff",
      "-Daeron.client.liveness.timeout=60s",
      "-Daeron.publication.unblock.timeout=61s",
      "-Daeron.ipc.term.buffer.length=4194304",
      "-Daeron.term.buffer.length=4194304"
    ]),
  startBench: async (role, args) => {
    const bench = open(`c ${role}`, client, [`bench${role[0]!.toUpperCase()}${role.slice(1)}`, ...args])
    await bench.line()
    return bench
  }
})

/** Undefined where nobody has given it; why it cannot be used when somebody has is said. */
export const c = ((): Aeron | undefined => {
  if (process.env["AERONMD"] === undefined) {
    return undefined
  }
  const found = find()
  if ("missing" in found) {
    process.stderr.write(`transport/java: the rows of C are left out: ${found.missing}\n`)
    return undefined
  }
  return make(found.driver, found.client)
})()
