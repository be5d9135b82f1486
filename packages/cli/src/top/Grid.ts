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

const fit = (text: string, width: number, align: "left" | "right" = "left"): string => {
  const clipped = clip(text, width)
  const padding = " ".repeat(Math.max(0, width - displayWidth(clipped)))
  return align === "right" ? padding + clipped : clipped + padding
}

/** The width of each column that is shown; the last one has the rest. */
const layout = <Row>(columns: ReadonlyArray<Column<Row>>, width: number) => {
  const shown = columns.filter(({ fromWidth = 0 }) => width >= fromWidth)
  const taken = shown.slice(0, -1).reduce((sum, column) => sum + column.width + GAP.length, 0)
  return shown.map((column, index) => ({
    column,
    width: index === shown.length - 1 ? Math.max(column.title.length, width - taken) : column.width
  }))
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
