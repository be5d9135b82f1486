import { ManyToOneRingBuffer } from "@millrace/core/kernel/ringbuffer/ManyToOneRingBuffer"
import type * as Effect from "effect/Effect"
import { DriverProxy, FULL } from "../command/DriverProxy.ts"
import type { TransportError } from "../TransportError.ts"
import * as CncFile from "./cncFile.ts"
import { attempt } from "./transportError.ts"

/** False when there is no CnC file that a driver could read the command from. */
export const request = (directory: string, token: Uint8Array): Effect.Effect<boolean, TransportError> =>
  attempt(() => {
    const file = CncFile.open(directory)
    if (CncFile.isAbsence(file)) {
      return false
    }
    try {
      const ring = new ManyToOneRingBuffer(file.buffers.toDriver)
      return new DriverProxy(ring, ring.nextCorrelationId()).terminateDriver(token) !== FULL
    } finally {
      file.region.close()
    }
  })
