/** Messages decoded by a schema, and what becomes of those that do not decode. */
import type { FragmentBatch } from "@millrace/core/kernel/logbuffer/FragmentBatch"
import { identity } from "effect/Function"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { TypedOptions } from "../Subscription.ts"
import { DecodeFailed, TransportError } from "../TransportError.ts"
import type { Batches } from "./batchStreams.ts"
import * as schemaCodec from "./schemaCodec.ts"

const decodeAll = <A>(
  codec: schemaCodec.MessageCodec<A>,
  batch: FragmentBatch
): Array<Result.Result<A, DecodeFailed>> => {
  const results: Array<Result.Result<A, DecodeFailed>> = []
  for (let index = 0; index < batch.count; index++) {
    try {
      results.push(Result.succeed(codec.decode(batch.message(index))))
    } catch (thrown) {
      const { sessionId, streamId } = batch
      const position = batch.positions[index]!
      results.push(Result.fail(new DecodeFailed({ sessionId, streamId, position, detail: String(thrown) })))
    }
  }
  return results
}

export const typedResults = <A>(
  batches: Batches,
  schema: schemaCodec.PlainSchema<A>,
  format: schemaCodec.MessageFormat
): Stream.Stream<Result.Result<A, DecodeFailed>, TransportError> => {
  const codec = schemaCodec.make(schema, format)
  return Stream.mapArray(
    batches,
    ([batch]) => decodeAll(codec, batch) as [Result.Result<A, DecodeFailed>, ...Array<Result.Result<A, DecodeFailed>>]
  )
}

/** Both filters keep the messages of a batch in one array: no effect is made for a single one. */
export const typed = <A>(
  batches: Batches,
  schema: schemaCodec.PlainSchema<A>,
  options: TypedOptions | undefined
): Stream.Stream<A, TransportError> => {
  const results = typedResults(batches, schema, options?.format ?? "json")
  if (options?.onInvalid === "skip") {
    return Stream.filterMap(results, identity)
  }
  return Stream.suspend(() => {
    let failure: DecodeFailed | undefined
    const decoded = Stream.takeWhileFilter(results, (result) => {
      failure = Result.isFailure(result) ? result.failure : undefined
      return result
    })
    const end = Stream.suspend(() =>
      failure === undefined ? Stream.empty : Stream.fail(new TransportError({ reason: failure }))
    )
    return Stream.concat(decoded, end)
  })
}
