/**
 * Flow control is never overrun: seen on the wire alone, a publication sends no byte beyond what a status message of a
 * receiver has allowed. What stands in the driver's counters plays no part in it.
 */
import * as DataFrame from "@millrace/core/kernel/frame/DataFrame"
import type { FrameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import * as FrameFlags from "@millrace/core/kernel/frame/FrameFlags"
import * as FrameType from "@millrace/core/kernel/frame/FrameType"
import * as HeaderDescriptor from "@millrace/core/kernel/frame/HeaderDescriptor"
import * as SetupFrame from "@millrace/core/kernel/frame/SetupFrame"
import * as StatusMessageFrame from "@millrace/core/kernel/frame/StatusMessageFrame"
import * as LogBufferDescriptor from "@millrace/core/kernel/logbuffer/LogBufferDescriptor"
import type { SocketAddress } from "../../../transport/src/channel/SocketAddress.ts"
import { SimulationFailure } from "../SimulationFailure.ts"
import type { Trace } from "../Trace.ts"

interface Flow {
  readonly initialTermId: number
  readonly termLength: number
  /** The end of the furthest window that was told. */
  limit: number
}

export class FlowCheck {
  private readonly trace: Trace
  /** A tap must not throw where the driver would catch it. */
  private readonly onFailure: (failure: SimulationFailure) => void
  private readonly flows = new Map<string, Flow>()

  constructor(trace: Trace, onFailure: (failure: SimulationFailure) => void) {
    this.trace = trace
    this.onFailure = onFailure
  }

  onDatagram(datagram: FrameBuffer, source: SocketAddress, target: SocketAddress): void {
    const type = HeaderDescriptor.type(datagram, 0)
    this.trace.note(type, source.port, target.port, datagram.bytes.length)
    switch (type) {
      case FrameType.SETUP:
        this.onSetup(datagram, source)
        break
      case FrameType.SM:
        this.onStatusMessage(datagram, target)
        break
      case FrameType.DATA:
      case FrameType.PAD:
        this.onData(datagram, source)
        break
      default:
    }
  }

  private onSetup(datagram: FrameBuffer, source: SocketAddress): void {
    const key = keyOf(source, SetupFrame.sessionId(datagram, 0), SetupFrame.streamId(datagram, 0))
    const initialTermId = SetupFrame.initialTermId(datagram, 0)
    if (this.flows.get(key)?.initialTermId !== initialTermId) {
      this.flows.set(key, { initialTermId, termLength: SetupFrame.termLength(datagram, 0), limit: 0 })
    }
  }

  private onStatusMessage(datagram: FrameBuffer, target: SocketAddress): void {
    const session = StatusMessageFrame.sessionId(datagram, 0)
    const flow = this.flows.get(keyOf(target, session, StatusMessageFrame.streamId(datagram, 0)))
    if (flow === undefined || FrameFlags.has(HeaderDescriptor.flags(datagram, 0), FrameFlags.SM_SETUP)) {
      return
    }
    const position = positionOf(
      flow,
      StatusMessageFrame.consumptionTermId(datagram, 0),
      StatusMessageFrame.consumptionTermOffset(datagram, 0)
    )
    flow.limit = Math.max(flow.limit, position + StatusMessageFrame.receiverWindow(datagram, 0))
  }

  private onData(datagram: FrameBuffer, source: SocketAddress): void {
    const { bytes } = datagram
    if (HeaderDescriptor.frameLength(datagram, 0) === 0) {
      return
    }
    const session = DataFrame.sessionId(datagram, 0)
    const key = keyOf(source, session, DataFrame.streamId(datagram, 0))
    const flow = this.flows.get(key)
    const begin =
      flow === undefined ? 0 : positionOf(flow, DataFrame.termId(datagram, 0), DataFrame.termOffset(datagram, 0))
    if (flow === undefined || begin + bytes.length > flow.limit) {
      const limit = flow?.limit ?? "nothing"
      const detail = `${key} sent bytes ${begin} to ${begin + bytes.length}, and ${limit} was allowed`
      this.onFailure(new SimulationFailure("flow control is never overrun", detail))
    }
  }
}

const keyOf = (publication: SocketAddress, sessionId: number, streamId: number): string =>
  `${publication.text}/${sessionId}/${streamId}`

const positionOf = ({ initialTermId, termLength }: Flow, termId: number, termOffset: number): number =>
  LogBufferDescriptor.computePosition(termId, termOffset, termLength, initialTermId)
