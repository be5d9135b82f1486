import type { LossReport } from "@millrace/core/kernel/lossreport/LossReport"
import { hasLibc, isLinux } from "@millrace/core/kernel/native/Platform"
import type { DriverNetwork, RemoteAgents } from "../driver/DriverContext.ts"
import type { SystemCounters } from "../driver/SystemCounters.ts"
import * as LossInterceptors from "../media/LossInterceptors.ts"
import * as LossPlan from "../media/LossPlan.ts"
import type { UdpPort } from "../media/UdpPort.ts"
import * as CapturePort from "../media/CapturePort.ts"
import * as CaptureFile from "./captureFile.ts"
import type { DriverStart } from "./driverStart.ts"
import * as NameResolvers from "./nameResolver.ts"
import * as NativeUdpPort from "./nativeUdpPort.ts"
import * as PortableUdpPort from "./portableUdpPort.ts"
import { systemInterfaces } from "./systemInterfaces.ts"
import type { UdpFaults } from "./udpFaults.ts"

export const randomInt32 = (): number => Math.trunc(Math.random() * 2 ** 32) | 0

type SocketStart = Pick<DriverStart, "captureFile" | "loss" | "media">
type MediaStart = SocketStart & Pick<DriverStart, "naming">

/** What carries the driver's datagrams, if anything does. */
export const mediaOf = ({ media }: Pick<DriverStart, "media">): "native" | "portable" | "none" =>
  media ?? (isLinux && hasLibc ? "native" : "portable")

/** `onArrival` is called where no descriptor tells of datagrams. */
export const udpPort = (start: SocketStart, faults: UdpFaults, onArrival: () => void = () => {}): UdpPort => {
  const real = mediaOf(start) === "native" ? NativeUdpPort.make(faults) : PortableUdpPort.make(faults, onArrival)
  const { captureFile } = start
  const port =
    captureFile === undefined
      ? real
      : CapturePort.wrap(
          real,
          CaptureFile.append(captureFile, (error) => faults.onError(error))
        )
  return LossPlan.isEmpty(start.loss) ? port : LossInterceptors.wrap(port, start.loss, randomInt32)
}

/** The network of this machine, unless the driver shall have none. */
export const driverNetwork = (
  start: MediaStart,
  lossReport: LossReport,
  faults: UdpFaults,
  systemCounters: SystemCounters,
  remote: RemoteAgents | undefined,
  onArrival: () => void
): DriverNetwork | undefined => {
  if (mediaOf(start) === "none") {
    return undefined
  }
  const udp = udpPort(start, faults, onArrival)
  const resolver = NameResolvers.make(start.naming, { udp, systemCounters, onError: (error) => faults.onError(error) })
  return { udp, resolver, interfaces: systemInterfaces, lossReport, remote }
}
