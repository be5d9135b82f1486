/** What of a sample is shown and how, and what a key changes about it. */
export const SORTS = ["rate", "behind", "position", "name"] as const
export type Sort = (typeof SORTS)[number]

/** The tables of a driver; a store shows its topics, or beside the clients its groups of consumers. */
export type Table = "streams" | "clients" | "errors" | "losses"

export interface View {
  readonly sort: Sort
  readonly isReversed: boolean
  readonly table: Table
  /** Rows of the tables that are above the first one shown. */
  readonly scroll: number
  readonly isPaused: boolean
  readonly showsHelp: boolean
}

export const initial: View = {
  sort: "rate",
  isReversed: false,
  table: "streams",
  scroll: 0,
  isPaused: false,
  showsHelp: false
}

/** Keys and what they do, as the help has them. */
export const KEYS: ReadonlyArray<readonly [key: string, meaning: string]> = [
  ["q, Esc", "quit"],
  ["s", "sort by the next of: rate, behind, position, name"],
  ["r", "reverse the order"],
  ["t", "streams and topics"],
  ["c", "clients of the driver, groups of consumers of the store"],
  ["e", "errors that the driver has recorded"],
  ["l", "losses that the driver has recorded"],
  ["up, down", "scroll by a row; page up, page down by ten; home back to the first"],
  ["p, space", "pause, and go on"],
  ["?, h", "this help"]
]

/** What the figures mean. */
export const WORDS: ReadonlyArray<readonly [word: string, meaning: string]> = [
  ["behind", "what the slowest subscriber has not consumed"],
  ["room", "what a publisher may still publish; HELD: it waits for subscribers"],
  ["lag", "messages that the group of consumers furthest behind has to go"],
  ["dispatch", "bytes of the log that stand in no queue yet"],
  ["sync", "how long syncs took, in the last second that had any"],
  ["unflushed", "bytes of the log that are not on the device"]
]

const PAGE = 10

const TABLES: Readonly<Record<string, Table>> = { t: "streams", c: "clients", e: "errors", l: "losses" }

const SCROLLS: Readonly<Record<string, number>> = {
  up: -1,
  k: -1,
  down: 1,
  j: 1,
  pageup: -PAGE,
  pagedown: PAGE,
  home: -Infinity
}

const nextSort = (sort: Sort): Sort => SORTS[(SORTS.indexOf(sort) + 1) % SORTS.length]!

/**
 * The view after a key, over a table of so many rows; undefined where it ends the show. Keys that mean nothing change
 * nothing.
 */
export const press = (view: View, key: string, rowCount: number): View | undefined => {
  if (key === "q" || key === "escape") {
    return undefined
  }
  const table = TABLES[key]
  if (table !== undefined) {
    return { ...view, table, scroll: 0, showsHelp: false }
  }
  const rows = SCROLLS[key]
  if (rows !== undefined) {
    return { ...view, scroll: Math.max(0, Math.min(view.scroll + rows, rowCount - 1)) }
  }
  switch (key) {
    case "s":
      return { ...view, sort: nextSort(view.sort), scroll: 0 }
    case "r":
      return { ...view, isReversed: !view.isReversed, scroll: 0 }
    case "p":
    case "space":
      return { ...view, isPaused: !view.isPaused }
    case "?":
    case "h":
      return { ...view, showsHelp: !view.showsHelp }
    default:
      return view
  }
}
