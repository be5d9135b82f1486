/** A table that keeps to a width: columns that matter less are left out, and the last one takes what is left. */
import { displayWidth } from "effect/cli/CliOutput"
import { clip } from "../output/Text.ts"

export interface Column<Row> {
  readonly title: string
  readonly width: number
  readonly align?: "left" | "right"
  /** The table has to be as wide as this for the column to be shown. Default: always. */
  readonly fromWidth?: number
  readonly cell: (row: Row) => string
  /** How the cell looks; it must not change its width. */
  readonly style?: (row: Row) => ((text: string) => string) | undefined
}

const GAP = " "

/** How long the lines of past rates are in a picture of a width. */
export const lineWidth = (width: number): number => (width < 100 ? 8 : width < 160 ? 12 : 24)

const fit = (text: string, width: number, align: "left" | "right" = "left"): string => {
  const clipped = clip(text, width)
  const padding = " ".repeat(Math.max(0, width - displayWidth(clipped)))
  return align === "right" ? padding + clipped : clipped + padding
}

/** The columns that there is room for, with their widths; the last one has the rest. */
const layout = <Row>(columns: ReadonlyArray<Column<Row>>, width: number) => {
  const placed: Array<{ readonly column: Column<Row>; readonly width: number }> = []
  const last = columns.at(-1)
  let left = width
  for (const column of columns) {
    if (width < (column.fromWidth ?? 0)) {
      continue
    }
    const taken = column === last ? Math.max(column.title.length, left) : column.width
    if (taken > left) {
      break
    }
    placed.push({ column, width: taken })
    left -= taken + GAP.length
  }
  return placed
}

/** The titles, then a line a row, none wider than `width`. */
export const lines = <Row>(
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
  width: number,
  styleTitle: (line: string) => string
): ReadonlyArray<string> => {
  const placed = layout(columns, width)
  const title = placed.map(({ column, width }) => fit(column.title, width, column.align)).join(GAP)
  return [
    styleTitle(clip(title.trimEnd(), width)),
    ...rows.map((row) =>
      placed
        .map(({ column, width }) => {
          const cell = fit(column.cell(row), width, column.align)
          return column.style?.(row)?.(cell) ?? cell
        })
        .join(GAP)
        .trimEnd()
    )
  ]
}
