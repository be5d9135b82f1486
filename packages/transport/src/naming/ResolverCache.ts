/** The names that a driver has heard of, each with the address that was told last, for as long as somebody tells it. */

export interface CachedName {
  readonly name: string
  readonly address: Uint8Array
  readonly port: number
  readonly timeOfLastActivityNs: number
}

/** More names are not taken: whoever makes them up must not make the driver grow. */
export const NAMES_MAX = 1024

const keyOf = (name: string, isIpv6: boolean): string => `${isIpv6 ? 6 : 4} ${name}`

export class ResolverCache {
  private readonly timeoutNs: number
  private readonly names = new Map<string, CachedName>()

  constructor(timeoutNs: number) {
    this.timeoutNs = timeoutNs
  }

  get size(): number {
    return this.names.size
  }

  get entries(): Iterable<CachedName> {
    return this.names.values()
  }

  /** An IPv4 address is preferred where a name has both. */
  lookUp(name: string): Uint8Array | undefined {
    return (this.names.get(keyOf(name, false)) ?? this.names.get(keyOf(name, true)))?.address
  }

  add(entry: CachedName): void {
    const key = keyOf(entry.name, entry.address.length > 4)
    if (this.names.size < NAMES_MAX || this.names.has(key)) {
      this.names.set(key, entry)
    }
  }

  /** Forgets what nobody told for the timeout; returns how many names that were. */
  removeOld(nowNs: number): number {
    let count = 0
    for (const [key, { timeOfLastActivityNs }] of this.names) {
      if (nowNs - timeOfLastActivityNs > this.timeoutNs) {
        this.names.delete(key)
        count++
      }
    }
    return count
  }
}
