/**
 * A pcap file of the driver's datagrams, for Wireshark, tcpdump and `millrace frames`. Each of the driver's threads
 * appends whole records to it, so they may share it.
 */
import * as fs from "node:fs"
import * as CaptureWriter from "@millrace/core/kernel/capture/CaptureWriter"
import * as UdpPacketWriter from "@millrace/core/kernel/capture/UdpPacketWriter"
import type { Recorder } from "../media/CapturePort.ts"

const FLUSH_LENGTH = 64 * 1024

/** Makes the file anew, with nothing in it but its head. */
export const create = (path: string): void => fs.writeFileSync(path, CaptureWriter.pcap.fileHeader())

/** When this moment is, in nanoseconds since 1970 with the resolution of the monotonic clock. */
const nowNs = (): bigint => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000)) * 1000n

/** What fails to be written is told once, and the capture ends: a full device must not end the driver. */
export const append = (path: string, onError: (error: Error) => void): Recorder => {
  let records: Array<Uint8Array> = []
  let length = 0
  let isFailed = false
  const flush = (): void => {
    if (length === 0) {
      return
    }
    const bytes = Buffer.concat(records)
    records = []
    length = 0
    try {
      fs.appendFileSync(path, bytes)
    } catch (error) {
      isFailed = true
      onError(new Error(`the capture ${path} ends here: ${(error as Error).message}`, { cause: error }))
    }
  }
  return {
    record: (source, target, payload) => {
      if (isFailed) {
        return
      }
      const packet = UdpPacketWriter.write({
        sourceAddress: source.address,
        sourcePort: source.port,
        targetAddress: target.address,
        targetPort: target.port,
        payload
      })
      const record = CaptureWriter.pcap.packet(nowNs(), packet)
      records.push(record)
      length += record.length
      if (length >= FLUSH_LENGTH) {
        flush()
      }
    },
    flush
  }
}
