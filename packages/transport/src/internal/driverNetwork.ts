import type { LossReport } from "@millrace/core/kernel/lossreport/LossReport"
import { hasLibc, isLinux } from "@millrace/core/kernel/native/Platform"
import type { DriverNetwork } from "../driver/DriverContext.ts"
import type { UdpPort } from "../media/UdpPort.ts"
import type { DriverStart } from "./driverStart.ts"
import * as NativeUdpPort from "./nativeUdpPort.ts"
import * as PortableUdpPort from "./portableUdpPort.ts"
import { systemInterfaces } from "./systemInterfaces.ts"
import { systemResolver } from "./systemResolver.ts"

const udpPort = (media: "native" | "portable"): UdpPort =>
  media === "native" ? NativeUdpPort.make() : PortableUdpPort.make()

/** The network of this machine, unless the driver shall have none. */
export const driverNetwork = (media: DriverStart["media"], lossReport: LossReport): DriverNetwork | undefined => {
  const chosen = media ?? (isLinux && hasLibc ? "native" : "portable")
  return chosen === "none"
    ? undefined
    : { udp: udpPort(chosen), resolver: systemResolver, interfaces: systemInterfaces, lossReport }
}
