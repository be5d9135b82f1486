/** What `top` and `web` look at, and how often. */
import * as Inspector from "@millrace/transport/Inspector"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Flag from "effect/cli/Flag"
import { refuseNoStore } from "../internal/openStore.ts"
import * as StoreFlags from "../store/StoreFlags.ts"

const INTERVAL_MIN = 0.1
const INTERVAL_MAX = 3600

const Interval = Schema.Finite.pipe(
  Schema.check(
    Schema.isBetween(
      { minimum: INTERVAL_MIN, maximum: INTERVAL_MAX },
      { message: `it must be a number of seconds from ${INTERVAL_MIN} to ${INTERVAL_MAX}` }
    )
  )
)

export const interval = Flag.Finite("interval").pipe(
  Flag.withSchema(Interval),
  Flag.withDescription("Seconds from one sample to the next [1]"),
  Flag.withMetavar("SECONDS"),
  Flag.withDefault(1)
)

export const targets = {
  directory: Flag.String("dir").pipe(
    Flag.withDescription("Directory of a media driver [AERON_DIR, or /dev/shm/aeron-<user>; none beside --store]"),
    Flag.withMetavar("DIR"),
    Flag.optional
  ),
  store: Flag.String("store").pipe(
    Flag.withDescription("Directory of a store [none]"),
    Flag.withMetavar("DIR"),
    Flag.optional
  ),
  config: StoreFlags.config
}

interface TargetFlags {
  readonly directory: Option.Option<string>
  readonly store: Option.Option<string>
  readonly config: ReadonlyArray<string>
}

const sharedDirectory = Effect.map(Config.option(Config.NonEmptyString("AERON_DIR")), (named) =>
  Option.getOrElse(named, () => Inspector.defaultDirectory())
)

/** Where nothing is named, the driver that all programs of the user share is looked at. */
export const targetsOf = Effect.fnUntraced(function* ({ config, directory, store }: TargetFlags) {
  const settings = yield* StoreFlags.settingsOf(config)
  if (Option.isNone(store)) {
    return { driver: Option.isSome(directory) ? directory.value : yield* sharedDirectory, store: undefined }
  }
  yield* refuseNoStore(store.value)
  return { driver: Option.getOrUndefined(directory), store: { ...settings, directory: store.value } }
})
