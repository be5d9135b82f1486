/**
 * Millrace's publisher in the interop runs: `directory channel streamId count lengths exclusive`. Prints `published
 * <count>`. One message in a thousand is claimed and written in place, the others go in batches.
 */
import * as Effect from "effect/Effect"
import * as Client from "../../packages/transport/src/Client.ts"
import * as ExclusivePublication from "../../packages/transport/src/ExclusivePublication.ts"
import * as Publication from "../../packages/transport/src/Publication.ts"
import * as Messages from "./messages.ts"

const [directory, channel, streamId, countText, lengthList, exclusive] = process.argv.slice(2)
const count = Number(countText)
const lengths = Messages.lengthsOf(lengthList!)
const CLAIM_EVERY = 997

const messageOf = (number: number): Uint8Array => Messages.make(number, Messages.lengthOf(number, lengths))

const claim = Effect.fnUntraced(function* (publication: Publication.Publication, number: number) {
  const length = Messages.lengthOf(number, lengths)
  if (length > publication.maxPayloadLength) {
    return yield* publication.publish(messageOf(number))
  }
  let result = yield* publication.tryClaim(length)
  while (result._tag !== "Claimed") {
    yield* Effect.sleep(1)
    result = yield* publication.tryClaim(length)
  }
  Messages.write(result.claim.buffer.bytes, result.claim.offset, number, length)
  result.claim.commit()
})

const program = Effect.gen(function* () {
  const options = { channel: channel!, streamId: Number(streamId) }
  const publication = yield* exclusive === "true" ? ExclusivePublication.make(options) : Publication.make(options)
  let number = 0
  while (number < count) {
    yield* claim(publication, number)
    number++
    const batch = Math.min(CLAIM_EVERY, count - number)
    yield* publication.publishMany(Array.from({ length: batch }, (_, index) => messageOf(number + index)))
    number += batch
  }
  process.stdout.write(`published ${count}\n`)
}).pipe(Effect.scoped, Effect.provide(Client.layerWith({ directory: directory!, clientName: "millrace-publisher" })))

await Effect.runPromise(program)
