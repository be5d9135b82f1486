/** A line of facts: as many as a width has room for, the first ones first. */
import { displayWidth } from "effect/cli/CliOutput"
import { clip } from "../output/Text.ts"

/** A fact and how it looks. */
export interface Fact {
  readonly text: string
  readonly style?: ((text: string) => string) | undefined
}

const GAP = "  "

/** Facts that do not fit are left out; the first is cut where it alone is too wide. */
export const line = (facts: ReadonlyArray<Fact>, width: number): string => {
  const [first, ...others] = facts
  if (first === undefined) {
    return ""
  }
  const head = clip(first.text, width)
  let taken = displayWidth(head)
  let text = first.style?.(head) ?? head
  for (const fact of others) {
    taken += GAP.length + displayWidth(fact.text)
    if (taken > width) {
      break
    }
    text += GAP + (fact.style?.(fact.text) ?? fact.text)
  }
  return text
}
