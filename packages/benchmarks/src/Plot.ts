/** Results as pictures: bars for the cases of a group, a line for one that grows. SVG that reads on light and dark pages. */
import type { GroupResult } from "./Result.ts"
import type { Spread } from "./Summary.ts"

const STYLE = `<style>
    text { font: 13px system-ui, sans-serif; fill: #24292f }
    .small { font-size: 11px; fill: #57606a }
    .bar { fill: #8fb8de } .ours { fill: #2f78b7 }
    .line { stroke: #2f78b7; stroke-width: 2; fill: none } .range { stroke: #57606a } .axis { stroke: #d0d7de }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 } .small { fill: #9da7b3 }
      .bar { fill: #35587a } .ours { fill: #6ca9dc } .line { stroke: #6ca9dc } .range { stroke: #9da7b3 } .axis { stroke: #30363d }
    }
  </style>`

const WIDTH = 720
const LABEL_WIDTH = 170
const VALUE_WIDTH = 110
const ROW_HEIGHT = 28
const TOP = 34

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

const svg = (height: number, title: string, parts: ReadonlyArray<string>): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escape(title)}">`,
    `  <title>${escape(title)}</title>`,
    `  ${STYLE}`,
    ...parts.map((part) => `  ${part}`),
    "</svg>",
    ""
  ].join("\n")

const round = (value: number): number => Math.round(value * 10) / 10

const text = (x: number, y: number, content: string, anchor: "start" | "middle" | "end", small = false): string =>
  `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}"${small ? ` class="small"` : ""}>${escape(content)}</text>`

const line = (x1: number, y1: number, x2: number, y2: number, style: string): string =>
  `<path d="M${round(x1)} ${round(y1)} ${round(x2)} ${round(y2)}" class="${style}"/>`

/** A place on a logarithmic axis between whole powers of ten: rates here differ by thousands. */
const logScale = (spreads: ReadonlyArray<Spread>, from: number, to: number) => {
  const low = Math.floor(Math.log10(Math.min(...spreads.map(({ min }) => min))))
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...spreads.map(({ max }) => max)))))
  const place = (value: number): number => from + ((Math.log10(value) - low) / (high - low)) * (to - from)
  return { place, decades: Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index)) }
}

export interface Bars {
  readonly title: string
  readonly spreadOf: (result: GroupResult["cases"][number]) => Spread
  readonly format: (value: number) => string
}

/** A bar a case to its median, and a thin line from the lowest run to the highest. Names of ours begin with `millrace`. */
export const bars = ({ cases, name }: GroupResult, { format, spreadOf, title }: Bars): string => {
  const end = WIDTH - VALUE_WIDTH
  const height = TOP + cases.length * ROW_HEIGHT + 24
  const { decades, place } = logScale(cases.map(spreadOf), LABEL_WIDTH, end)
  const bottom = height - 20
  const axis = decades.flatMap((value) => [
    line(place(value), TOP - 4, place(value), bottom, "axis"),
    text(place(value), bottom + 14, format(value), "middle", true)
  ])
  const rows = cases.flatMap((result, index) => {
    const { max, median, min } = spreadOf(result)
    const label = result.name.slice(name.length + 1)
    const y = TOP + index * ROW_HEIGHT
    const middle = y + ROW_HEIGHT / 2 - 3
    const style = label.startsWith("millrace") ? "ours" : "bar"
    return [
      text(LABEL_WIDTH - 10, middle + 4, label, "end"),
      `<rect x="${LABEL_WIDTH}" y="${y}" width="${round(place(median) - LABEL_WIDTH)}" height="${ROW_HEIGHT - 6}" class="${style}"/>`,
      line(place(min), middle, place(max), middle, "range"),
      text(place(max) + 8, middle + 4, format(median), "start")
    ]
  })
  return svg(height, title, [text(10, 18, title, "start"), ...axis, ...rows])
}

const CURVE_HEIGHT = 260

/** The cases are named by their sizes; both axes are logarithmic. */
export const curve = ({ cases, name }: GroupResult, { format, spreadOf, title }: Bars): string => {
  const sizes = cases.map((result) => Number(result.name.slice(name.length + 1)))
  const bottom = CURVE_HEIGHT - 34
  const horizontal = logScale([{ min: sizes[0]!, median: sizes[0]!, max: sizes.at(-1)! }], 70, WIDTH - 30)
  const vertical = logScale(cases.map(spreadOf), bottom, TOP)
  const axis = [
    ...vertical.decades.flatMap((value) => [
      line(70, vertical.place(value), WIDTH - 30, vertical.place(value), "axis"),
      text(64, vertical.place(value) + 4, format(value), "end", true)
    ]),
    ...sizes.map((size) => text(horizontal.place(size), bottom + 18, size.toLocaleString("en"), "middle", true))
  ]
  const points = cases.map((result, index) => ({ x: horizontal.place(sizes[index]!), ...spreadOf(result) }))
  const path = points.map(({ median, x }) => `${round(x)} ${round(vertical.place(median))}`).join(" L")
  const values = points.map(({ max, median, x }) => text(x, vertical.place(max) - 6, format(median), "middle", true))
  const ranges = points.map(({ max, min, x }) => line(x, vertical.place(min), x, vertical.place(max), "range"))
  return svg(CURVE_HEIGHT, title, [
    text(10, 18, title, "start"),
    ...axis,
    `<path d="M${path}" class="line"/>`,
    ...ranges,
    ...values
  ])
}
