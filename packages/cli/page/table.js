/** A table whose rows are drawn anew with each sample, while its head, and the focus in it, stay. */
import { spark } from "./figures.js"
import { grouped } from "./format.js"

/** By what each table is sorted: a title of its columns, and whether the other way round. */
const sorts = new Map()

const compare = (a, b) => (a === b ? 0 : a === null ? 1 : b === null ? -1 : a < b ? -1 : 1)

/** Numbers begin with the highest, texts with the first. */
const sorted = (rows, column, isReversed) => {
  const way = (column.isNumber === true || column.title === "last") !== isReversed ? -1 : 1
  return rows.toSorted((a, b) => way * compare(column.value(a), column.value(b)))
}

const cellOf = (column, row) => {
  const cell = document.createElement(column.isHead === true ? "th" : "td")
  if (column.isHead === true) {
    cell.scope = "row"
  }
  cell.classList.toggle("number", column.isNumber === true)
  cell.classList.toggle("wide", column.isWide === true)
  cell.classList.toggle("bad", column.isBad?.(row) === true)
  if (column.line === undefined) {
    cell.textContent = column.text?.(row) ?? String(column.value(row))
  } else {
    cell.append(spark(column.line(row)))
  }
  return cell
}

const titleOf = (name, column) => {
  const title = document.createElement("th")
  title.scope = "col"
  title.classList.toggle("number", column.isNumber === true)
  if (column.value === undefined) {
    title.textContent = column.title
    return title
  }
  const button = document.createElement("button")
  button.type = "button"
  button.textContent = column.title
  button.addEventListener("click", () => {
    const sort = sorts.get(name)
    sorts.set(name, { title: column.title, isReversed: sort.title === column.title && !sort.isReversed })
    document.dispatchEvent(new CustomEvent("millrace-sorted"))
  })
  title.append(button)
  return title
}

const make = (parent, { columns, isOpen = false, name, sort }) => {
  sorts.set(name, { title: sort, isReversed: false })
  const details = document.createElement("details")
  details.dataset.name = name
  details.open = isOpen
  const summary = document.createElement("summary")
  const table = document.createElement("table")
  table.setAttribute("aria-label", name)
  const head = document.createElement("tr")
  head.append(...columns.map((column) => titleOf(name, column)))
  table.createTHead().append(head)
  table.createTBody()
  const scroll = document.createElement("div")
  scroll.className = "scroll"
  // Who has no mouse scrolls it by the keys.
  scroll.tabIndex = 0
  scroll.setAttribute("role", "region")
  scroll.setAttribute("aria-label", `${name}, scrollable`)
  scroll.append(table)
  const none = document.createElement("p")
  none.className = "none"
  none.textContent = "none"
  details.append(summary, scroll, none)
  // What is closed is not drawn.
  details.addEventListener("toggle", () => document.dispatchEvent(new CustomEvent("millrace-sorted")))
  parent.append(details)
  return details
}

const markSort = (details, columns, { isReversed, title }) => {
  const titles = details.querySelectorAll("thead th")
  columns.forEach((column, index) => {
    if (column.title === title) {
      const isDescending = (column.isNumber === true || column.title === "last") !== isReversed
      titles[index].setAttribute("aria-sort", isDescending ? "descending" : "ascending")
    } else {
      titles[index].removeAttribute("aria-sort")
    }
  })
}

export const drawTable = (parent, options) => {
  const { columns, name, rows, total } = options
  const details = [...parent.children].find(({ dataset }) => dataset.name === name) ?? make(parent, options)
  const left = total - rows.length
  details.querySelector("summary").textContent =
    `${name}: ${grouped(total)}${left > 0 ? `, ${grouped(left)} of them not shown` : ""}`
  details.querySelector(".scroll").hidden = rows.length === 0
  details.querySelector(".none").hidden = rows.length > 0
  if (!details.open) {
    return
  }
  const sort = sorts.get(name)
  const column = columns.find(({ title }) => title === sort.title)
  markSort(details, columns, sort)
  details.querySelector("tbody").replaceChildren(
    ...sorted(rows, column, sort.isReversed).map((row) => {
      const line = document.createElement("tr")
      line.append(...columns.map((column) => cellOf(column, row)))
      return line
    })
  )
}
