/** `init-term-id`, `term-id` and `term-offset`: where a stream begins. All three are given, or none. */
import type { ChannelUri } from "./ChannelUri.ts"
import { fault, int32 } from "./ParameterValue.ts"

export interface InitialPosition {
  readonly initialTermId: number
  readonly termId: number
  readonly termOffset: number
}

const FRAME_ALIGNMENT = 32
const TERM_LENGTH_MAX = 1024 ** 3

export const parse = (uri: ChannelUri, isGeneric: boolean, termLength: number): InitialPosition | undefined => {
  const initialTermIdText = uri.get("init-term-id")
  const termIdText = uri.get("term-id")
  const termOffsetText = uri.get("term-offset")
  if (initialTermIdText === undefined && termIdText === undefined && termOffsetText === undefined) {
    return undefined
  }
  if (initialTermIdText === undefined || termIdText === undefined || termOffsetText === undefined) {
    const given = ["init-term-id", "term-id", "term-offset"].filter((name) => uri.has(name)).join(",")
    const allowed = "the complete set of init-term-id, term-id and term-offset, or none"
    throw fault(uri, "init-term-id,term-id,term-offset", `only ${given}`, allowed, isGeneric)
  }
  const initialTermId = int32(uri, "init-term-id", initialTermIdText, isGeneric)
  const termId = int32(uri, "term-id", termIdText, isGeneric)
  const termOffset = int32(uri, "term-offset", termOffsetText, isGeneric)
  if (termOffset < 0 || termOffset > Math.min(termLength, TERM_LENGTH_MAX) || termOffset % FRAME_ALIGNMENT !== 0) {
    const allowed = `a multiple of ${FRAME_ALIGNMENT} from 0 to the term-length of ${termLength}`
    throw fault(uri, "term-offset", termOffset, allowed, isGeneric)
  }
  // Term ids wrap: the difference is taken in 32 bits.
  if (((termId - initialTermId) | 0) < 0) {
    throw fault(uri, "term-id", termId, `at most 2^31 - 1 terms after init-term-id=${initialTermId}`, isGeneric)
  }
  return { initialTermId, termId, termOffset }
}
