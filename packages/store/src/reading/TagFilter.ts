/**
 * A subscription to tags: `*`, or `a || b || c`. Queue entries only have the hash of the tags, so a match of hashes is
 * held against the text of the record before it counts.
 */
import * as JavaString from "../commitlog/JavaString.ts"

export interface TagFilter {
  readonly codes: ReadonlySet<number>
  /** The tags themselves; undefined where hashes alone decide, as a RocketMQ broker does. */
  readonly tags: ReadonlySet<string> | undefined
}

/** Undefined for a subscription to everything. */
export const parse = (expression: string, matchText: boolean): TagFilter | undefined => {
  const tags = expression
    .split("||")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "")
  if (tags.length === 0 || tags.includes("*")) {
    return undefined
  }
  return { codes: new Set(tags.map(JavaString.hashCode)), tags: matchText ? new Set(tags) : undefined }
}
