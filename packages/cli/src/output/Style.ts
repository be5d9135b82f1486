/**
 * The few text styles of the command line, or none of them where colour is off.
 */
import * as Effect from "effect/Effect"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"

export interface Style {
  readonly strong: (text: string) => string
  readonly faint: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly accent: (text: string) => string
}

const sgr =
  (code: number) =>
  (text: string): string =>
    `\u001b[${code}m${text}\u001b[0m`
const plainText = (text: string): string => text

const coloured: Style = { strong: sgr(1), faint: sgr(2), good: sgr(32), bad: sgr(31), accent: sgr(36) }

export const plain: Style = {
  strong: plainText,
  faint: plainText,
  good: plainText,
  bad: plainText,
  accent: plainText
}

/** The style for what goes to standard output. */
export const current: Effect.Effect<Style> = Effect.map(TerminalCapabilities.TerminalCapabilities, ({ canColor }) =>
  canColor ? coloured : plain
)
