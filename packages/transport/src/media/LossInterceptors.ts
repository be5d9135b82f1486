/**
 * A socket port that loses datagrams on purpose, deterministically from seeds: for tests, by the rules of Aeron's own
 * loss generators. What is lost on sending counts as sent.
 *
 * A receiver's socket has its data from senders and sends them control frames; a sender's socket the other way round.
 */
import * as DataFrame from "@millrace/core/kernel/frame/DataFrame"
import type { FrameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import * as FrameType from "@millrace/core/kernel/frame/FrameType"
import * as HeaderDescriptor from "@millrace/core/kernel/frame/HeaderDescriptor"
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"
import type { SocketAddress } from "../channel/SocketAddress.ts"
import type { FixedLoss, Interceptor, LossPlan, LossRate, MultiGapLoss, RandomLoss } from "./LossPlan.ts"
import { Rand48 } from "./Rand48.ts"
import type { UdpPort, UdpSocket } from "./UdpPort.ts"
import { wrapPort, WrappedSocket } from "./WrappedSocket.ts"

/** Whether a datagram goes. */
type Loses = (buffer: FrameBuffer, offset: number, length: number) => boolean

const RANDOM_SEED = -1n
/** Streams that one generator keeps in mind. */
const STREAMS_MAX = 1024

const ofRate = ({ rate, seed }: LossRate, randomInt32: () => number): ReadonlyArray<Loses> => {
  if (rate === 0) {
    return []
  }
  const random = new Rand48(seed === RANDOM_SEED ? BigInt(randomInt32()) : seed)
  return [() => random.next() <= rate]
}

/** One sequence of numbers for all sockets of the driver, as in Aeron. */
const ofRandom = ({ rate, seed, typeMask }: RandomLoss): Loses => {
  const random = new Rand48(seed)
  return (buffer, offset) =>
    rate > 0 && (typeMask & (1 << HeaderDescriptor.type(buffer, offset))) !== 0 && random.next() <= rate
}

/** How far each stream was lost already, by its stream and session id. */
class Progress {
  private readonly offsets = new Map<string, number>()

  at(buffer: FrameBuffer, offset: number): number {
    const key = this.keyOf(buffer, offset)
    const known = this.offsets.get(key)
    if (known === undefined && this.offsets.size < STREAMS_MAX) {
      this.offsets.set(key, DataFrame.termOffset(buffer, offset))
    }
    return known ?? DataFrame.termOffset(buffer, offset)
  }

  set(buffer: FrameBuffer, offset: number, reached: number): void {
    this.offsets.set(this.keyOf(buffer, offset), reached)
  }

  private keyOf(buffer: FrameBuffer, offset: number): string {
    return `${DataFrame.streamId(buffer, offset)} ${DataFrame.sessionId(buffer, offset)}`
  }
}

/** Nothing of the datagram was checked yet. */
const isDataOf = (termId: number, buffer: FrameBuffer, offset: number, length: number): boolean =>
  length >= DataFrame.HEADER_LENGTH &&
  HeaderDescriptor.type(buffer, offset) === FrameType.DATA &&
  DataFrame.termId(buffer, offset) === termId

const ofFixed = ({ length: lost, termId, termOffset: from }: FixedLoss): Loses => {
  const progress = new Progress()
  return (buffer, offset, length) => {
    if (!isDataOf(termId, buffer, offset, length)) {
      return false
    }
    const termOffset = DataFrame.termOffset(buffer, offset)
    const reached = progress.at(buffer, offset)
    const isFirst = reached < from + lost && termOffset <= reached && reached < termOffset + length
    if (isFirst) {
      progress.set(buffer, offset, termOffset + length)
    }
    return isFirst
  }
}

const ofMultiGap = ({ gapLength, gapRadix, termId, totalGaps }: MultiGapLoss): Loses => {
  const progress = new Progress()
  const lastGapLimit = totalGaps * gapRadix + gapLength
  const isInGap = (termOffset: number, length: number): boolean => {
    const before = Math.floor(termOffset / gapRadix) * gapRadix
    const after = before + gapRadix
    return (before > 0 && termOffset < Math.max(before + gapLength, before + 1)) || termOffset + length > after
  }
  return (buffer, offset, length) => {
    if (!isDataOf(termId, buffer, offset, length)) {
      return false
    }
    const termOffset = DataFrame.termOffset(buffer, offset)
    if (termOffset > lastGapLimit || progress.at(buffer, offset) > termOffset || !isInGap(termOffset, length)) {
      return false
    }
    progress.set(buffer, offset, termOffset + length)
    return true
  }
}

/** One generator a socket, or one for all of them. */
const generatorOf = (interceptor: Interceptor): (() => Loses) => {
  switch (interceptor.name) {
    case "loss": {
      const shared = ofRandom(interceptor)
      return () => shared
    }
    case "fixed-loss":
      return () => ofFixed(interceptor)
    case "multi-gap-loss":
      return () => ofMultiGap(interceptor)
  }
}

class LossySocket extends WrappedSocket {
  private readonly incoming: ReadonlyArray<Loses>
  private readonly outgoing: ReadonlyArray<Loses>

  constructor(socket: UdpSocket, incoming: ReadonlyArray<Loses>, outgoing: ReadonlyArray<Loses>) {
    super(socket)
    this.incoming = incoming
    this.outgoing = outgoing
  }

  protected override passes(buffer: FrameBuffer, offset: number, length: number): boolean {
    return !isLost(this.incoming, buffer, offset, length)
  }

  override send(buffer: FrameBuffer, offset: number, length: number, target: SocketAddress): number {
    return isLost(this.outgoing, buffer, offset, length) ? length : this.socket.send(buffer, offset, length, target)
  }

  /** One after another: a lost one may lie between two that go together. */
  override sendMany(
    buffer: AtomicBuffer,
    offsets: Int32Array,
    lengths: Int32Array,
    count: number,
    target: SocketAddress
  ): number {
    if (this.outgoing.length === 0) {
      return this.socket.sendMany(buffer, offsets, lengths, count, target)
    }
    let sent = 0
    while (sent < count && this.send(buffer, offsets[sent]!, lengths[sent]!, target) > 0) {
      sent++
    }
    return sent
  }
}

/** Each generator is asked, until one loses it: those after it do not see the datagram. */
const isLost = (generators: ReadonlyArray<Loses>, buffer: FrameBuffer, offset: number, length: number): boolean =>
  length >= HeaderDescriptor.MIN_HEADER_LENGTH && generators.some((loses) => loses(buffer, offset, length))

/** `port` with the losses of the plan. */
export const wrap = (port: UdpPort, plan: LossPlan, randomInt32: () => number): UdpPort => {
  const incoming = plan.incoming.map(generatorOf)
  const outgoing = plan.outgoing.map(generatorOf)
  return wrapPort(port, (socket, isSender) => {
    const [received, sent] = isSender ? [plan.sendControl, plan.sendData] : [plan.receiveData, plan.receiveControl]
    return new LossySocket(
      socket,
      [...incoming.map((make) => make()), ...ofRate(received, randomInt32)],
      [...outgoing.map((make) => make()), ...ofRate(sent, randomInt32)]
    )
  })
}
