/** What both kinds of peer say of a store. */

/** A message as it is put; every field is given, so that nothing depends on a side's defaults. */
export interface ScriptedMessage {
  readonly topic: string
  readonly queueId: number
  /** In base64. */
  readonly body: string
  readonly properties: Readonly<Record<string, string>>
  readonly flag: number
  readonly sysFlag: number
  readonly bornTimestamp: number
  readonly bornHost: string
  readonly storeHost: string
  readonly reconsumeTimes: number
  readonly preparedTransactionOffset: number
}

export interface PutOutcome {
  readonly status: string
  readonly position: number
  readonly length: number
  readonly queueOffset: number
  readonly storeTimestamp: number
  /** Of a batch that was put by the real store: the ids of all its messages, with commas. */
  readonly messageIds?: string
}

export interface ListedMessage extends Omit<ScriptedMessage, never> {
  readonly position: number
  readonly storeSize: number
  readonly version: number
  readonly queueOffset: number
  /** Position as the record itself has it. */
  readonly recordPosition: number
  readonly storeTimestamp: number
  readonly bodyCrc: number
  readonly offsetMsgId: string
  /** Whether the real store's own check accepts the record. */
  readonly isValid?: boolean
  /** What the real store would write into the queue. */
  readonly tagsCode?: number
}

export interface ListedQueue {
  readonly topic: string
  readonly queueId: number
  readonly minOffset: number
  readonly maxOffset: number
  /**
   * Position and size; the real store adds the tags code, with an extended queue the store time and the position of the
   * unit, and for a batch consume queue all other fields.
   */
  readonly entries: ReadonlyArray<readonly [position: number, size: number, ...rest: ReadonlyArray<number>]>
}

export interface Listing {
  readonly minPosition: number
  readonly maxPosition: number
  readonly listedTo: number
  readonly messages: ReadonlyArray<ListedMessage>
  readonly queues: ReadonlyArray<ListedQueue>
}

export interface GetRequest {
  readonly topic: string
  readonly queueId: number
  readonly offset: number
  readonly maxCount: number
  readonly tags?: string
}

export interface GetAnswer {
  readonly status: string
  readonly nextOffset: number
  readonly minOffset: number
  readonly maxOffset: number
  readonly queueOffsets: ReadonlyArray<number>
  readonly positions: ReadonlyArray<number>
}

export interface TimeRequest {
  readonly topic: string
  readonly queueId: number
  readonly timeMs: number
}

export interface TimeAnswer {
  readonly lower: number | null
  readonly upper: number | null
}

export interface QueryRequest {
  readonly topic: string
  readonly key: string
  readonly maxCount: number
  readonly begin: number
}
