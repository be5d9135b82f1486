/** Who the driver of a directory is, in the first line of what is shown of it. */
import type { DriverStatus } from "@millrace/transport/Inspector"
import { duration } from "./Quantity.ts"
import type { Style } from "./Style.ts"

/** As long as Aeron's clients wait for a sign of life. */
const HEARTBEAT_AGE_MAX_MS = 10_000

export const driverHead = ({ cncVersion, directory, heartbeatAgeMs, pid }: DriverStatus, style: Style): string => {
  const head = `${directory}  CnC ${cncVersion}  pid ${pid}  `
  if (heartbeatAgeMs === undefined) {
    return head + style.bad("the driver has shut down")
  }
  return heartbeatAgeMs > HEARTBEAT_AGE_MAX_MS
    ? head + style.bad(`no sign of life for ${duration(heartbeatAgeMs)}: the driver has died`)
    : head + style.faint(`heartbeat ${duration(heartbeatAgeMs)} ago`)
}

export const driverJson = ({ cncVersion, directory, heartbeatAgeMs, pid, startMs }: DriverStatus) => ({
  directory,
  pid,
  cncVersion,
  startMs,
  heartbeatAgeMs: heartbeatAgeMs ?? null
})
