/**
 * Names of drivers, which drivers tell each other by RES frames. Each tells its own name to its neighbors once a second,
 * and less often all the names that it has heard of; whoever is named becomes a neighbor. A driver begins with the
 * bootstrap neighbors that it was given, whose own names the next resolver looks up.
 *
 *     self entry ──► bootstrap neighbors, neighbors        every self resolution interval
 *     all names  ──► neighbors                             every neighbor resolution interval
 *     silence    ──► forgotten                             after the neighbor timeout
 *
 * Names that nobody told are looked up by the next resolver.
 */
import { AtomicCounter } from "@millrace/core/kernel/counters/AtomicCounter"
import type { CountersManager } from "@millrace/core/kernel/counters/CountersManager"
import type { FrameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import * as FrameFault from "@millrace/core/kernel/frame/FrameFault"
import * as FrameFlags from "@millrace/core/kernel/frame/FrameFlags"
import * as FrameType from "@millrace/core/kernel/frame/FrameType"
import * as HeaderDescriptor from "@millrace/core/kernel/frame/HeaderDescriptor"
import * as ResolutionEntryDescriptor from "@millrace/core/kernel/frame/ResolutionEntryDescriptor"
import * as ResolutionFrame from "@millrace/core/kernel/frame/ResolutionFrame"
import { HeapRegion } from "@millrace/core/kernel/memory/HeapRegion"
import { SocketAddress } from "../channel/SocketAddress.ts"
import { INVALID_PACKETS, SHORT_SENDS, type SystemCounters } from "../driver/SystemCounters.ts"
import * as StreamCounters from "../driver/StreamCounters.ts"
import type { DatagramHandler, UdpPort, UdpSocket } from "../media/UdpPort.ts"
import { BootstrapNeighbor } from "./BootstrapNeighbor.ts"
import { type NameResolver, type PendingResolution, resolved } from "./NameResolver.ts"
import { ResolverCache } from "./ResolverCache.ts"

export const NEIGHBORS_TYPE_ID = 15
export const CACHE_ENTRIES_TYPE_ID = 16

export interface DriverNameResolverOptions {
  readonly name: string
  /** Where to listen. Port 0 = the system chooses. */
  readonly local: SocketAddress
  /** `host:port` each. */
  readonly bootstrapNeighbors: ReadonlyArray<string>
  readonly neighborTimeoutNs: number
  readonly selfResolutionIntervalNs: number
  readonly neighborResolutionIntervalNs: number
  readonly bootstrapResolutionIntervalNs: number
  /** The longest frame. */
  readonly mtuLength: number
  readonly udp: UdpPort
  readonly systemCounters: SystemCounters
  /** Notes a neighbor that cannot be found, and goes on without it. */
  readonly onError: (error: Error) => void
}

interface Neighbor {
  readonly address: SocketAddress
  timeOfLastActivityNs: number
}

/** More neighbors are not taken: every one of them is sent to. */
export const NEIGHBORS_MAX = 256
const POLL_INTERVAL_NS = 10e6
const DATAGRAMS_PER_POLL_MAX = 64
const FRAME_LENGTH_MAX = 65_504
const NS_PER_MS = 1e6
const AGE_MS_MAX = 2 ** 31 - 1

export class DriverNameResolver implements NameResolver {
  private readonly options: DriverNameResolverOptions
  private readonly next: NameResolver
  private readonly cache: ResolverCache
  private readonly neighbors = new Map<string, Neighbor>()
  private readonly frame: FrameBuffer = new HeapRegion("RES being sent", FRAME_LENGTH_MAX).buffer()
  private readonly bootstrap: ReadonlyArray<BootstrapNeighbor>
  private socket: UdpSocket | undefined = undefined
  private sockets: ReadonlyArray<number> = []
  private neighborsCounter: AtomicCounter | undefined = undefined
  private cacheCounter: AtomicCounter | undefined = undefined
  private pollDeadlineNs = 0
  private selfDeadlineNs = 0
  private neighborDeadlineNs = 0
  private bootstrapDeadlineNs = 0
  private nowNs = 0
  private readonly onDatagram: DatagramHandler = (buffer, offset, length, source) =>
    this.onFrame(buffer, offset, length, source)

  constructor(options: DriverNameResolverOptions, next: NameResolver) {
    this.options = options
    this.next = next
    this.cache = new ResolverCache(options.neighborTimeoutNs)
    const { bootstrapNeighbors, onError } = options
    this.bootstrap = bootstrapNeighbors.map((text, index) => new BootstrapNeighbor(text, index, next, onError))
  }

  get descriptors(): ReadonlyArray<number> {
    return this.sockets
  }

  init(counters: CountersManager, nowNs: number): void {
    const { bootstrapResolutionIntervalNs, local, name, neighborResolutionIntervalNs, udp } = this.options
    this.next.init?.(counters, nowNs)
    const socket = udp.open({ local, remote: undefined, receiveBufferLength: 0, sendBufferLength: 0 })
    this.socket = socket
    this.sockets = socket.descriptor === undefined ? [] : [socket.descriptor]
    const bound = socket.localAddress.text
    this.neighborsCounter = count(counters, NEIGHBORS_TYPE_ID, `Resolver neighbors: bound ${bound}`)
    this.cacheCounter = count(counters, CACHE_ENTRIES_TYPE_ID, `Resolver cache entries: name=${name}`)
    for (const neighbor of this.bootstrap) {
      neighbor.init(counters)
      neighbor.resolve(false)
    }
    this.nowNs = nowNs
    this.neighborDeadlineNs = nowNs + neighborResolutionIntervalNs
    this.bootstrapDeadlineNs = nowNs + bootstrapResolutionIntervalNs
  }

  resolve(host: string, parameter: string, isReResolution: boolean): PendingResolution {
    const { local, name } = this.options
    const address =
      this.cache.lookUp(host) ?? (host === name ? (this.socket?.localAddress ?? local).address : undefined)
    return address === undefined
      ? this.next.resolve(host, parameter, isReResolution)
      : resolved({ _tag: "Resolved", address })
  }

  doWork(nowNs: number): number {
    this.nowNs = nowNs
    if (nowNs < this.pollDeadlineNs) {
      return 0
    }
    this.pollDeadlineNs = nowNs + POLL_INTERVAL_NS
    this.socket?.poll(this.onDatagram, DATAGRAMS_PER_POLL_MAX)
    this.removeSilent()
    for (const neighbor of this.bootstrap) {
      neighbor.poll()
    }
    if (nowNs >= this.selfDeadlineNs) {
      this.selfDeadlineNs = nowNs + this.options.selfResolutionIntervalNs
      this.tellSelf()
    }
    if (nowNs >= this.neighborDeadlineNs) {
      this.neighborDeadlineNs = nowNs + this.options.neighborResolutionIntervalNs
      this.tellNames()
    }
    if (nowNs >= this.bootstrapDeadlineNs) {
      this.bootstrapDeadlineNs = nowNs + this.options.bootstrapResolutionIntervalNs
      this.resolveBootstrap()
    }
    // Gossip is no work that an idle driver should stay awake for.
    return this.next.doWork?.(nowNs) ?? 0
  }

  close(): void {
    this.socket?.close()
    this.socket = undefined
    this.next.close?.()
  }

  private onFrame(buffer: FrameBuffer, offset: number, length: number, source: SocketAddress): void {
    const isResolution =
      length >= HeaderDescriptor.MIN_HEADER_LENGTH && HeaderDescriptor.type(buffer, offset) === FrameType.RES
    if (!isResolution || FrameFault.isFault(ResolutionFrame.validate(buffer, offset, length))) {
      this.options.systemCounters.increment(INVALID_PACKETS)
      return
    }
    const end = offset + HeaderDescriptor.frameLength(buffer, offset)
    let entry = offset + ResolutionFrame.ENTRIES_OFFSET
    while (entry < end) {
      this.onEntry(buffer, entry, source)
      const addressLength = ResolutionEntryDescriptor.addressLength(buffer, entry)
      entry += ResolutionEntryDescriptor.entryLength(addressLength, ResolutionEntryDescriptor.nameLength(buffer, entry))
    }
  }

  private onEntry(buffer: FrameBuffer, entry: number, source: SocketAddress): void {
    const isSelf = FrameFlags.has(ResolutionEntryDescriptor.flags(buffer, entry), FrameFlags.RES_SELF)
    const name = ResolutionEntryDescriptor.name(buffer, entry)
    const port = ResolutionEntryDescriptor.udpPort(buffer, entry)
    if (name === this.options.name && port === this.socket?.localAddress.port) {
      return
    }
    const begin = entry + ResolutionEntryDescriptor.ADDRESS_FIELD_OFFSET
    const told = buffer.bytes.slice(begin, begin + ResolutionEntryDescriptor.addressLength(buffer, entry))
    const isAny = told.every((byte) => byte === 0)
    if (isAny && !isSelf) {
      return
    }
    const address = new SocketAddress(isAny ? source.address : told, port)
    // An age below zero would keep an entry beyond its time.
    const ageNs = Math.max(0, ResolutionEntryDescriptor.ageMs(buffer, entry)) * NS_PER_MS
    const timeOfLastActivityNs = this.nowNs - ageNs
    this.cache.add({ name, address: address.address, port, timeOfLastActivityNs })
    const neighbor = this.neighbors.get(address.text)
    if (neighbor === undefined) {
      if (this.neighbors.size < NEIGHBORS_MAX) {
        this.neighbors.set(address.text, { address, timeOfLastActivityNs })
      }
    } else if (isSelf) {
      neighbor.timeOfLastActivityNs = timeOfLastActivityNs
    }
    this.show()
  }

  private removeSilent(): void {
    let isChanged = this.cache.removeOld(this.nowNs) > 0
    for (const [key, { timeOfLastActivityNs }] of this.neighbors) {
      if (this.nowNs - timeOfLastActivityNs >= this.options.neighborTimeoutNs) {
        this.neighbors.delete(key)
        isChanged = true
      }
    }
    if (isChanged) {
      this.show()
    }
  }

  private show(): void {
    this.neighborsCounter?.set(BigInt(this.neighbors.size))
    this.cacheCounter?.set(BigInt(this.cache.size))
  }

  private tellSelf(): void {
    const { name } = this.options
    const targets = new Map([...this.neighbors.values()].map(({ address }) => [address.text, address]))
    for (const neighbor of this.bootstrap) {
      const { address } = neighbor
      if (address !== undefined) {
        neighbor.show(this.neighbors.has(address.text))
        targets.set(address.text, address)
      }
    }
    if (targets.size === 0 || this.socket === undefined) {
      return
    }
    const { address, port } = this.socket.localAddress
    const { ENTRIES_OFFSET } = ResolutionFrame
    const length = ResolutionEntryDescriptor.write(
      this.frame,
      ENTRIES_OFFSET,
      FrameFlags.RES_SELF,
      port,
      0,
      address,
      name
    )
    ResolutionFrame.write(this.frame, 0, length)
    this.send(ENTRIES_OFFSET + length, targets.values())
  }

  /** All names, in as many frames as they take. */
  private tellNames(): void {
    const { ENTRIES_OFFSET } = ResolutionFrame
    let end = ENTRIES_OFFSET
    const flush = (): void => {
      if (end > ENTRIES_OFFSET) {
        ResolutionFrame.write(this.frame, 0, end - ENTRIES_OFFSET)
        this.send(end, this.neighborAddresses())
        end = ENTRIES_OFFSET
      }
    }
    for (const { address, name, port, timeOfLastActivityNs } of this.cache.entries) {
      if (end + ResolutionEntryDescriptor.entryLength(address.length, name.length) > this.options.mtuLength) {
        flush()
      }
      const ageMs = Math.min(AGE_MS_MAX, Math.floor((this.nowNs - timeOfLastActivityNs) / NS_PER_MS))
      end += ResolutionEntryDescriptor.write(this.frame, end, 0, port, ageMs, address, name)
    }
    flush()
  }

  private *neighborAddresses(): Iterable<SocketAddress> {
    for (const { address } of this.neighbors.values()) {
      yield address
    }
  }

  private send(length: number, targets: Iterable<SocketAddress>): void {
    for (const target of targets) {
      if (this.socket?.send(this.frame, 0, length, target) !== length) {
        this.options.systemCounters.increment(SHORT_SENDS)
      }
    }
  }

  /** Those that do not answer: their names may have moved. */
  private resolveBootstrap(): void {
    for (const neighbor of this.bootstrap) {
      if (neighbor.address === undefined || !this.neighbors.has(neighbor.address.text)) {
        neighbor.resolve(true)
      }
    }
  }
}

const count = (counters: CountersManager, typeId: number, label: string): AtomicCounter =>
  new AtomicCounter(counters.values, StreamCounters.allocate(counters, { typeId, label }).id)
