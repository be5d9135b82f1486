/** The fenced blocks of a Markdown page, and which kinds of them a page may have. */
export interface Fence {
  /** What stands behind the opening fence: its kind. */
  readonly kind: string
  readonly code: string
  /** The line of the first line of code, counted from 1. */
  readonly line: number
}

/**
 * - `ts`: part of a program that runs, or of an example in a docstring;
 * - `sh`: typed into a shell, all blocks of a page one after the other;
 * - `console`: commands that need a clone, a registry or the machine's own settings; `ConsoleLines` says what holds each;
 * - `text`: a picture, or what a program prints.
 */
const KINDS: ReadonlySet<string> = new Set(["ts", "sh", "console", "text"])

export const find = (markdown: string): ReadonlyArray<Fence> =>
  [...markdown.matchAll(/^(`{3,})([^\n]*)\n(.*?)^\1$/gms)].map(({ 2: kind = "", 3: code = "", index }) => ({
    kind,
    code,
    line: markdown.slice(0, index).split("\n").length + 1
  }))

export const ofKind = (markdown: string, kind: string): ReadonlyArray<Fence> =>
  find(markdown).filter((fence) => fence.kind === kind)

/** Blocks of a kind that nothing here runs or holds. */
export const findUnknown = (markdown: string): ReadonlyArray<Fence> =>
  find(markdown).filter(({ kind }) => !KINDS.has(kind))
