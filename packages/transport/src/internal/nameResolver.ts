/** The resolver that the driver's options ask for. */
import * as Addresses from "../channel/SocketAddress.ts"
import { SocketAddress } from "../channel/SocketAddress.ts"
import type { SystemCounters } from "../driver/SystemCounters.ts"
import type { UdpPort } from "../media/UdpPort.ts"
import { CsvTableResolver } from "../naming/CsvTableResolver.ts"
import { DriverNameResolver } from "../naming/DriverNameResolver.ts"
import type { NameResolver } from "../naming/NameResolver.ts"
import { systemResolver } from "./systemResolver.ts"

export interface NamingOptions {
  readonly resolver: "default" | "driver" | "csv_table"
  readonly initArgs: string
  readonly name: string
  /** An address and a port. */
  readonly interface: string
  /** `host:port`, apart by commas. */
  readonly bootstrapNeighbors: string
  readonly neighborTimeoutNs: number
  readonly selfResolutionIntervalNs: number
  readonly neighborResolutionIntervalNs: number
  readonly bootstrapResolutionIntervalNs: number
  readonly mtuLength: number
}

/** An option of the resolver is not what it must be; `option` is its name among the driver's options. */
export class InvalidNaming extends Error {
  readonly _tag = "InvalidNaming"
  readonly option: string
  readonly value: string
  readonly allowed: string

  constructor(option: string, value: string, allowed: string) {
    super(`${option}: "${value}" is not ${allowed}`)
    this.option = option
    this.value = value
    this.allowed = allowed
  }
}

const NEIGHBORS_MAX = 20

/** A driver that has an interface for it gossips, as Aeron's Java driver does, also where no resolver is named. */
export const isGossiping = (options: NamingOptions): boolean =>
  options.resolver === "driver" || (options.resolver === "default" && options.interface !== "")

/** What a resolver uses. */
export interface NamingWorld {
  readonly udp: UdpPort
  readonly systemCounters: SystemCounters
  /** Notes what it cannot do, and goes on. */
  readonly onError: (error: Error) => void
}

export const make = (options: NamingOptions, world: NamingWorld): NameResolver => {
  if (options.resolver === "csv_table") {
    return new CsvTableResolver(options.initArgs, systemResolver)
  }
  return isGossiping(options) ? gossiping(options, world) : systemResolver
}

const gossiping = (options: NamingOptions, world: NamingWorld): NameResolver => {
  const bootstrapNeighbors = options.bootstrapNeighbors === "" ? [] : options.bootstrapNeighbors.split(",")
  if (options.name === "") {
    throw new InvalidNaming("resolverName", options.name, "a name, which a driver that resolves names needs")
  }
  if (bootstrapNeighbors.length > NEIGHBORS_MAX) {
    const allowed = `${NEIGHBORS_MAX} neighbors at most`
    throw new InvalidNaming("resolverBootstrapNeighbor", options.bootstrapNeighbors, allowed)
  }
  return new DriverNameResolver(
    { ...options, ...world, local: localOf(options.interface), bootstrapNeighbors },
    systemResolver
  )
}

/** What it stands for is looked up before the driver starts. */
const localOf = (text: string): SocketAddress => {
  const parts = Addresses.splitHostPort(text)
  const address = parts && Addresses.parseAddress(parts.host)
  if (parts === undefined || address === undefined) {
    throw new InvalidNaming("resolverInterface", text, "an address and port of this machine, as 127.0.0.1:8050")
  }
  return new SocketAddress(address, parts.port)
}
