import type { LossReport } from "@millrace/core/kernel/lossreport/LossReport"
import { hasLibc, isLinux } from "@millrace/core/kernel/native/Platform"
import type { DriverNetwork } from "../driver/DriverContext.ts"
import * as LossInterceptors from "../media/LossInterceptors.ts"
import * as LossPlan from "../media/LossPlan.ts"
import type { UdpPort } from "../media/UdpPort.ts"
import type { DriverStart } from "./driverStart.ts"
import * as NativeUdpPort from "./nativeUdpPort.ts"
import * as PortableUdpPort from "./portableUdpPort.ts"
import { systemInterfaces } from "./systemInterfaces.ts"
import { systemResolver } from "./systemResolver.ts"
import type { UdpFaults } from "./udpFaults.ts"

const udpPort = (media: "native" | "portable", faults: UdpFaults, onArrival: () => void): UdpPort =>
  media === "native" ? NativeUdpPort.make(faults) : PortableUdpPort.make(faults, onArrival)

/** The network of this machine, unless the driver shall have none. */
export const driverNetwork = (
  { loss, media }: Pick<DriverStart, "loss" | "media">,
  lossReport: LossReport,
  faults: UdpFaults,
  randomInt32: () => number,
  onArrival: () => void
): DriverNetwork | undefined => {
  const chosen = media ?? (isLinux && hasLibc ? "native" : "portable")
  if (chosen === "none") {
    return undefined
  }
  const port = udpPort(chosen, faults, onArrival)
  return {
    udp: LossPlan.isEmpty(loss) ? port : LossInterceptors.wrap(port, loss, randomInt32),
    resolver: systemResolver,
    interfaces: systemInterfaces,
    lossReport
  }
}
