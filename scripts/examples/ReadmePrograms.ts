/** A fenced block of TypeScript in a Markdown page. */
export interface Program {
  /** The line of its first line of code, counted from 1. */
  readonly line: number
  readonly code: string
}

export const findPrograms = (markdown: string): ReadonlyArray<Program> =>
  [...markdown.matchAll(/^```ts\n(.*?)^```$/gms)].map((match) => ({
    line: markdown.slice(0, match.index).split("\n").length + 1,
    code: match[1]!
  }))

/** The programs of a page that are not part of any source, blank lines and indentation aside. */
export const findStrangers = (markdown: string, sources: ReadonlyArray<string>): ReadonlyArray<Program> => {
  const known = sources.map(linesOf)
  return findPrograms(markdown).filter(({ code }) => !known.some((source) => source.includes(linesOf(code))))
}

const linesOf = (code: string): string =>
  code
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n")
