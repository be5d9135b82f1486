/**
 * Bytes that others wrote, made safe to show: what a terminal would take for a command is shown, not sent.
 */
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
