/**
 * Proof that two long sequences of records are equal and in the same order within each queue, without keeping either:
 * a running SHA-256 for each queue, noted at every `BLOCK_LENGTH` records, so that a difference can be placed.
 */
import * as crypto from "node:crypto"

export const BLOCK_LENGTH = 1024

class QueueDigest {
  count = 0
  readonly blocks: Array<string> = []
  readonly #hash = crypto.createHash("sha256")

  add(text: string): void {
    // The length keeps two records from passing for two others whose texts join to the same.
    this.#hash.update(`${text.length}:${text}`)
    this.count++
    if (this.count % BLOCK_LENGTH === 0) {
      this.blocks.push(this.sum())
    }
  }

  sum(): string {
    return this.#hash.copy().digest("base64")
  }
}

export class QueueDigests {
  readonly #queues = new Map<number, QueueDigest>()
  count = 0

  /** Takes the next record of a queue. */
  add(queueId: number, text: string): void {
    let queue = this.#queues.get(queueId)
    if (queue === undefined) {
      queue = new QueueDigest()
      this.#queues.set(queueId, queue)
    }
    queue.add(text)
    this.count++
  }

  get queueIds(): ReadonlyArray<number> {
    return [...this.#queues.keys()].toSorted((a, b) => a - b)
  }

  /** How this differs from what was expected, a sentence for each queue that does; empty when nothing does. */
  differences(expected: QueueDigests): Array<string> {
    const queueIds = new Set([...this.queueIds, ...expected.queueIds])
    return [...queueIds]
      .toSorted((a, b) => a - b)
      .flatMap((queueId) => {
        const found = this.#queues.get(queueId) ?? new QueueDigest()
        const wanted = expected.#queues.get(queueId) ?? new QueueDigest()
        const problem = difference(found, wanted)
        return problem === undefined ? [] : [`queue ${queueId}: ${problem}`]
      })
  }
}

const difference = (found: QueueDigest, wanted: QueueDigest): string | undefined => {
  const shorter = Math.min(found.blocks.length, wanted.blocks.length)
  for (let block = 0; block < shorter; block++) {
    if (found.blocks[block] !== wanted.blocks[block]) {
      return `a record from ${block * BLOCK_LENGTH} to ${(block + 1) * BLOCK_LENGTH - 1} differs or is out of order`
    }
  }
  if (found.count !== wanted.count) {
    return `${found.count} records came back, ${wanted.count} were sent`
  }
  if (found.sum() === wanted.sum()) {
    return undefined
  }
  return `a record from ${shorter * BLOCK_LENGTH} to ${found.count - 1} differs or is out of order`
}
