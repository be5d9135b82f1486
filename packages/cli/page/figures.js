/** Figures with their names, and the lines of their past. */
const SVG = "http://www.w3.org/2000/svg"
const WIDTH = 60
const HEIGHT = 20

/** What is drawn says no more than the figure beside it, so it is not read out. */
export const spark = (values) => {
  const picture = document.createElementNS(SVG, "svg")
  picture.setAttribute("class", "spark")
  picture.setAttribute("viewBox", `0 -1 ${WIDTH} ${HEIGHT + 2}`)
  picture.setAttribute("preserveAspectRatio", "none")
  picture.setAttribute("aria-hidden", "true")
  const highest = Math.max(1, ...values)
  const points = values.map(
    (value, index) => `${WIDTH - values.length + index + 1},${(HEIGHT - (value / highest) * HEIGHT).toFixed(1)}`
  )
  const path = document.createElementNS(SVG, "polyline")
  path.setAttribute("points", points.join(" "))
  picture.append(path)
  return picture
}

export const drawFigures = (list, figures) => {
  list.replaceChildren(
    ...figures.map(({ isBad = false, label, line, value }) => {
      const group = document.createElement("div")
      group.classList.toggle("alert", isBad)
      const term = document.createElement("dt")
      term.textContent = label
      const description = document.createElement("dd")
      const text = document.createElement("span")
      text.textContent = value
      description.append(text, ...(line === undefined ? [] : [spark(line)]))
      group.append(term, description)
      return group
    })
  )
}
