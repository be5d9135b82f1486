/**
 * Names by a table, as Aeron's tests ask a driver for: `name,first host,second host`, rows apart by `|`, which
 * may stand behind the last as well. Each row has a counter, by which whoever maps the counters chooses what the name means.
 *
 * | value of the counter | the name means |
 * | --- | --- |
 * | 0, at first | the first host |
 * | 1 | the second host |
 * | −1 | nothing: it cannot be resolved |
 *
 * Key of the counter: length i32 at 0, then the name. A name that is not in the table is looked up as it is.
 */
import { AtomicCounter } from "@millrace/core/kernel/counters/AtomicCounter"
import * as CountersDescriptor from "@millrace/core/kernel/counters/CountersDescriptor"
import type { CountersManager } from "@millrace/core/kernel/counters/CountersManager"
import { parseAddress } from "../channel/SocketAddress.ts"
import * as StreamCounters from "../driver/StreamCounters.ts"
import { type NameResolver, type PendingResolution, resolved } from "./NameResolver.ts"

export const ENTRY_TYPE_ID = 2001
const USE_FIRST_HOST = 0n
const USE_SECOND_HOST = 1n
const DISABLED = -1n

const NAME_OFFSET = 4
const ROWS_MAX = 1024
const COLUMNS = 3

interface Row {
  readonly name: string
  readonly firstHost: string
  readonly secondHost: string
}

/** The table is none. */
export class MalformedTable extends Error {
  readonly _tag = "MalformedTable"

  constructor(detail: string) {
    super(`nameResolverInitArgs: ${detail}; allowed is name,host,host with rows apart by |, at most ${ROWS_MAX}`)
  }
}

const parse = (text: string): ReadonlyArray<Row> => {
  const rows = text
    .replace(/\|$/, "")
    .split("|")
    .map((row) => {
      const [name = "", firstHost = "", secondHost = "", ...more] = row.split(",")
      if (name === "" || firstHost === "" || secondHost === "" || more.length > 0) {
        throw new MalformedTable(`the row "${row}" has not ${COLUMNS} columns`)
      }
      return { name, firstHost, secondHost }
    })
  if (rows.length > ROWS_MAX) {
    throw new MalformedTable(`${rows.length} rows`)
  }
  return rows
}

const encoder = new TextEncoder()

const keyOf = (name: string): Uint8Array => {
  const key = new Uint8Array(CountersDescriptor.KEY_LENGTH_MAX)
  const { written } = encoder.encodeInto(name, key.subarray(NAME_OFFSET))
  new DataView(key.buffer).setInt32(0, written, true)
  return key.subarray(0, NAME_OFFSET + written)
}

const labelOf = ({ firstHost, name, secondHost }: Row): string =>
  `NameEntry{name='${name}', initialResolutionHost='${firstHost}', reResolutionHost='${secondHost}'}`

export class CsvTableResolver implements NameResolver {
  private readonly rows: ReadonlyArray<Row>
  private readonly next: NameResolver
  private readonly switches = new Map<string, { readonly row: Row; readonly counter: AtomicCounter }>()

  /** Throws `MalformedTable`. */
  constructor(table: string, next: NameResolver) {
    this.rows = parse(table)
    this.next = next
  }

  init(counters: CountersManager, nowNs: number): void {
    this.next.init?.(counters, nowNs)
    for (const row of this.rows) {
      const { id } = StreamCounters.allocate(counters, {
        typeId: ENTRY_TYPE_ID,
        key: keyOf(row.name),
        label: labelOf(row)
      })
      this.switches.set(row.name, { row, counter: new AtomicCounter(counters.values, id) })
    }
  }

  resolve(host: string, parameter: string, isReResolution: boolean): PendingResolution {
    const found = this.switches.get(host)
    if (found === undefined) {
      return this.next.resolve(host, parameter, isReResolution)
    }
    const { counter, row } = found
    switch (counter.get()) {
      case DISABLED:
        return resolved({ _tag: "Unknown", detail: `${host} is switched off in the table` })
      case USE_FIRST_HOST:
        return this.resolveHost(row.firstHost, parameter, isReResolution)
      case USE_SECOND_HOST:
        return this.resolveHost(row.secondHost, parameter, isReResolution)
      default:
        return this.next.resolve(host, parameter, isReResolution)
    }
  }

  doWork(nowNs: number): number {
    return this.next.doWork?.(nowNs) ?? 0
  }

  close(): void {
    this.next.close?.()
  }

  private resolveHost(host: string, parameter: string, isReResolution: boolean): PendingResolution {
    const address = parseAddress(host)
    return address === undefined
      ? this.next.resolve(host, parameter, isReResolution)
      : resolved({ _tag: "Resolved", address })
  }
}
