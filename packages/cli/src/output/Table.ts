/**
 * A table in text: columns as wide as their widest cell, numbers to the right.
 */
import { displayWidth } from "effect/cli/CliOutput"

export interface Column {
  readonly title: string
  readonly align?: "left" | "right"
}

const GAP = "  "

const fit = (cell: string, width: number, align: Column["align"]): string => {
  const padding = " ".repeat(Math.max(0, width - displayWidth(cell)))
  return align === "right" ? padding + cell : cell + padding
}

/** One string a line, the titles first. `styleTitle` gets the whole line of titles. */
export const lines = (
  columns: ReadonlyArray<Column>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  styleTitle: (line: string) => string = (line) => line
): ReadonlyArray<string> => {
  const widths = columns.map((column, index) =>
    rows.reduce((widest, row) => Math.max(widest, displayWidth(row[index] ?? "")), displayWidth(column.title))
  )
  const line = (cells: ReadonlyArray<string>) =>
    columns
      .map((column, index) => fit(cells[index] ?? "", widths[index]!, column.align))
      .join(GAP)
      .trimEnd()
  return [styleTitle(line(columns.map((column) => column.title))), ...rows.map(line)]
}
