import * as Fences from "./Fences.ts"

/** The blocks of TypeScript on a page that are not part of any source, blank lines and indentation aside. */
export const findStrangers = (markdown: string, sources: ReadonlyArray<string>): ReadonlyArray<Fences.Fence> => {
  const known = sources.map(linesOf)
  return Fences.ofKind(markdown, "ts").filter(({ code }) => !known.some((source) => source.includes(linesOf(code))))
}

const linesOf = (code: string): string =>
  code
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n")
