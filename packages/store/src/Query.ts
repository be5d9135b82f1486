/**
 * Looking for messages by key.
 *
 * @since 0.1.0
 */

/**
 * Which messages to look for.
 *
 * @category models
 * @since 0.1.0
 */
export interface QueryRequest {
  readonly topic: string
  readonly key: string
  /** The newest so many. Default 32. */
  readonly maxCount?: number | undefined
  /** Only messages stored at or after this time, in milliseconds. */
  readonly begin?: number | undefined
  /** Only messages stored at or before this time, in milliseconds. */
  readonly end?: number | undefined
}
