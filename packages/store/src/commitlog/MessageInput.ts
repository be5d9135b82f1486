/** A message as it is put: what the caller decides. Positions, queue offset, store time and CRCs come from the store. */
export interface MessageInput {
  readonly topic: string
  readonly queueId?: number | undefined
  readonly body: Uint8Array
  /** Keys for the index. A space separates keys, so a key with a space in it is found by each of its words. */
  readonly keys?: string | ReadonlyArray<string> | undefined
  readonly tags?: string | undefined
  /** Further properties. `keys`, `tags` and `wait` win over properties named KEYS, TAGS and WAIT. */
  readonly properties?: Readonly<Record<string, string>> | undefined
  /** The property string as it is, in place of `keys`, `tags`, `wait` and `properties` (batches and copies of records). */
  readonly rawProperties?: Uint8Array | undefined
  readonly flag?: number | undefined
  readonly sysFlag?: number | undefined
  /** Milliseconds since the epoch on the client's clock; the store's time by default. */
  readonly bornTimestamp?: number | undefined
  /** `10.1.2.3:40123` or `[2001:db8::17]:40123`. */
  readonly bornHost?: string | undefined
  readonly storeHost?: string | undefined
  readonly reconsumeTimes?: number | undefined
  readonly preparedTransactionOffset?: number | undefined
  /** Whether the put waits for the disk where the store flushes synchronously; true by default. */
  readonly wait?: boolean | undefined
}
