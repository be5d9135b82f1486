/**
 * The whole picture as lines of text, no more and no wider than the screen has room for: a function of what was sampled
 * and the size, so that the same sample is always the same frame.
 */
import * as Style from "../output/Style.ts"
import { clip, printable } from "../output/Text.ts"
import * as DriverFrame from "./DriverFrame.ts"
import * as Facts from "./Facts.ts"
import type { History } from "./History.ts"
import { type Absent, isAbsent, type Sample } from "./Sample.ts"
import * as Section from "./Section.ts"
import * as StoreFrame from "./StoreFrame.ts"
import * as View from "./View.ts"

export interface Size {
  readonly columns: number
  /** Infinity where there is no screen: then everything is shown. */
  readonly rows: number
}

export interface Picture {
  readonly sample: Sample
  readonly history: History
  readonly view: View.View
  readonly intervalMs: number
}

const WIDTH_ANY = 80
/** The title above, the keys below. */
const MARGIN = 2

const timeOf = (ms: number): string => new Date(ms).toISOString().slice(11, 19)

const title = ({ intervalMs, sample, view }: Picture, columns: number, style: Style.Style): string =>
  Facts.line(
    [
      { text: "millrace top", style: style.strong },
      { text: `${timeOf(sample.timeMs)} UTC` },
      view.isPaused
        ? { text: "PAUSED", style: style.bad }
        : { text: `every ${intervalMs / 1000} s`, style: style.faint },
      { text: `by ${view.sort}${view.isReversed ? ", reversed" : ""}`, style: style.faint }
    ],
    columns
  )

const KEY_LINE = "q quit  s sort  r reverse  t streams  c clients  e errors  l losses  ? help"

const absent = ({ directory, problem }: Absent, what: string, style: Style.Style): Section.Section => ({
  head: [style.strong(`${what} ${printable(directory)}`)],
  rows: [],
  none: printable(problem)
})

const sectionsOf = (picture: Picture, columns: number, style: Style.Style): ReadonlyArray<Section.Section> => {
  const { history, sample, view } = picture
  const { driver, store } = sample
  return [
    ...(driver === null
      ? []
      : [
          isAbsent(driver)
            ? absent(driver, "driver", style)
            : DriverFrame.section(driver, history, view, columns, style)
        ]),
    ...(store === null
      ? []
      : [isAbsent(store) ? absent(store, "store", style) : StoreFrame.section(store, history, view, columns, style)])
  ]
}

/** Rows of the longest table of a picture. */
export const rowCount = (picture: Picture): number =>
  sectionsOf(picture, WIDTH_ANY, Style.plain).reduce((most, { rows }) => Math.max(most, rows.length), 0)

const heightOf = ({ head, rows }: Section.Section): number => head.length + Math.max(1, rows.length)

/** Each gets what it needs; where that is too much, the longer ones share what the shorter ones leave. */
const share = (needs: ReadonlyArray<number>, room: number): ReadonlyArray<number> => {
  const heights = needs.map(() => 0)
  let left = room
  const ascending = needs.map((need, index) => ({ need, index })).toSorted((a, b) => a.need - b.need)
  ascending.forEach(({ index, need }, place) => {
    heights[index] = Math.min(need, Math.floor(left / (needs.length - place)))
    left -= heights[index]
  })
  return heights
}

const helpLines = (columns: number, style: Style.Style): ReadonlyArray<string> => [
  "",
  ...View.KEYS.map(([key, meaning]) => helpLine(key, meaning, columns, style)),
  "",
  ...View.WORDS.map(([word, meaning]) => helpLine(word, meaning, columns, style))
]

const WORD_WIDTH = 10

const helpLine = (word: string, meaning: string, columns: number, style: Style.Style): string =>
  `  ${style.strong(word.padEnd(WORD_WIDTH))}${clip(meaning, Math.max(0, columns - WORD_WIDTH - 2))}`

export const lines = (picture: Picture, { columns, rows }: Size, style: Style.Style): ReadonlyArray<string> => {
  const { view } = picture
  const room = Math.max(0, rows - MARGIN)
  const body = view.showsHelp ? helpLines(columns, style).slice(0, room) : bodyLines(picture, columns, room, style)
  const above = [title(picture, columns, style), ...body]
  if (rows === Infinity) {
    return above
  }
  const filled = [...above, ...Array.from({ length: Math.max(0, rows - 1 - above.length) }, () => "")]
  return [...filled.slice(0, rows - 1), Facts.line([{ text: KEY_LINE, style: style.faint }], columns)]
}

const bodyLines = (picture: Picture, columns: number, room: number, style: Style.Style): ReadonlyArray<string> => {
  const sections = sectionsOf(picture, columns, style)
  const gaps = Math.max(0, sections.length - 1)
  const heights = share(sections.map(heightOf), room - gaps)
  return sections
    .map((section, index) => Section.lines(section, heights[index]!, picture.view.scroll, style.faint))
    .reduce<ReadonlyArray<string>>((above, lines) => (above.length === 0 ? lines : above.concat("", lines)), [])
}
