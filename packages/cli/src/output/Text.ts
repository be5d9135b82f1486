/**
 * Bytes that others wrote, made safe to show: what a terminal would take for a command is shown, not sent.
 */
import { displayWidth } from "effect/cli/CliOutput"

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The text of UTF-8 bytes, or `undefined` when they are not UTF-8. */
export const fromUtf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** Text on one line, its control characters as escapes. */
export const printable = (text: string): string =>
  text.replaceAll(/\p{Cc}/gu, (character) => ESCAPES.get(character) ?? hexEscape(character))

const ESCAPES = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"]
])

const hexEscape = (character: string): string => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`

/** A body as a reader sees it: its text, or its bytes in hex where they are not text. */
export const body = (bytes: Uint8Array): string => {
  const text = fromUtf8(bytes)
  return text === undefined ? `0x${Buffer.from(bytes).toString("hex")}` : printable(text)
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" })

/** Text that takes at most `width` columns of a terminal; where it is cut stands an ellipsis. */
export const clip = (text: string, width: number): string => {
  if (displayWidth(text) <= width) {
    return text
  }
  let kept = ""
  let taken = 0
  for (const { segment } of graphemes.segment(text)) {
    taken += displayWidth(segment)
    if (taken >= width) {
      break
    }
    kept += segment
  }
  return width > 0 ? `${kept}…` : ""
}
