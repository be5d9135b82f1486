import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as RecordingDescriptor from "../../src/record/RecordingDescriptor.ts"

const Int32 = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: -(2 ** 31), maximum: 2 ** 31 - 1 })))
const Position = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })))

describe("the place of a recorded message", () => {
  it.effect.prop(
    "is in its properties what it was",
    { streamId: Int32, sessionId: Int32, one: Position, other: Position, isKnown: Schema.Boolean },
    ({ isKnown, one, other, sessionId, streamId }) =>
      Effect.sync(() => {
        const startPosition = isKnown ? Math.min(one, other) : undefined
        const place = { streamId, sessionId, startPosition, position: Math.max(one, other) }
        assert.isTrue(RecordingDescriptor.isLegal(place))
        assert.deepStrictEqual(RecordingDescriptor.decode(RecordingDescriptor.encode(place)), place)
      })
  )

  it("is none where a property is missing, is no number, or makes no sense", () => {
    const place = RecordingDescriptor.encode({ streamId: 1, sessionId: 2, startPosition: 64, position: 128 })
    for (const name of ["STREAM_ID", "SESSION_ID", "STREAM_POSITION"]) {
      const { [name]: _missing, ...rest } = place
      assert.isUndefined(RecordingDescriptor.decode(rest), name)
    }
    for (const wrong of ["", "1e3", "0x10", " 1", "1.5", "NaN", "99999999999999999"]) {
      assert.isUndefined(RecordingDescriptor.decode({ ...place, STREAM_POSITION: wrong }), wrong)
      assert.isUndefined(RecordingDescriptor.decode({ ...place, STREAM_START: wrong }), wrong)
    }
    assert.isUndefined(RecordingDescriptor.decode({ ...place, SESSION_ID: "2147483648" }))
    assert.isUndefined(RecordingDescriptor.decode({ ...place, STREAM_START: "192" }))
    assert.isUndefined(RecordingDescriptor.decode({ ...place, STREAM_START: "-64" }))
  })
})
