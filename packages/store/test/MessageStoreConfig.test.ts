import { describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import { assert } from "vitest"
import * as MessageStoreConfig from "../src/MessageStoreConfig.ts"
import * as Golden from "./fixtures/Golden.ts"

const read = (values: Readonly<Record<string, string>>) =>
  MessageStoreConfig.config.parse(ConfigProvider.fromUnknown(values))

const refusal = (options: Partial<MessageStoreConfig.MessageStoreOptions>) =>
  Effect.map(
    Effect.flip(MessageStoreConfig.conclude({ directory: "/store", ...options })),
    ({ reason }) => reason.message
  )

describe("MessageStoreConfig", () => {
  it.effect("reads options by RocketMQ's names, directories of the log separated by commas", () =>
    Effect.gen(function* () {
      const options = yield* read({
        storePathRootDir: "/store",
        storePathCommitLog: "/a,/b",
        transientStorePoolEnable: "true",
        commitIntervalCommitLog: "7",
        compressType: "ZSTD"
      })
      const concluded = yield* MessageStoreConfig.conclude(options)
      assert.deepInclude(concluded, {
        storePathRootDir: "/store",
        storePathCommitLog: ["/a", "/b"],
        transientStorePoolEnable: true,
        commitIntervalCommitLog: 7,
        compressType: "ZSTD",
        writeWithoutMmap: false
      })
    })
  )

  it.effect("has every setting in the environment, by its name and of its kind", () =>
    Effect.gen(function* () {
      const other = (setting: MessageStoreConfig.Setting): string | number | boolean => {
        switch (setting.kind) {
          case "integer":
            return setting.default === setting.maximum ? setting.minimum : setting.default + 1
          case "boolean":
            return !setting.default
          case "choice":
            return setting.choices.find((choice) => choice !== setting.default)!
          case "text":
            return `${setting.default}x`
        }
      }
      const values = Object.fromEntries(
        Object.entries(MessageStoreConfig.settings).map(([name, setting]) => [name, other(setting)])
      )
      const texts = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))
      const options = yield* read({ storePathRootDir: "/store", ...texts })
      assert.deepStrictEqual(options, { directory: "/store", storePathCommitLog: undefined, ...values })
    })
  )

  it.effect("has RocketMQ's default for every setting that RocketMQ has, but for the CRC of whole records", () =>
    Effect.gen(function* () {
      const concluded: Readonly<Record<string, unknown>> = {
        ...(yield* MessageStoreConfig.conclude({ directory: "/d" }))
      }
      for (const [version, others] of [
        ["5.3.3", ["enabledAppendPropCRC"]],
        ["5.5.1", ["enabledAppendPropCRC"]],
        ["4.9.8", []]
      ] as const) {
        const defaults = Golden.defaults(version)
        const common = Object.keys(concluded).filter((name) => name in defaults)
        assert.isAbove(common.length, 30)
        assert.deepStrictEqual(
          common.filter((name) => String(concluded[name]) !== String(defaults[name])),
          [...others],
          version
        )
      }
    })
  )

  it.effect("puts the log into the store's directory where nothing else is said", () =>
    Effect.gen(function* () {
      const concluded = yield* MessageStoreConfig.conclude(yield* read({ storePathRootDir: "/store" }))
      assert.deepStrictEqual(concluded.storePathCommitLog, ["/store/commitlog"])
    })
  )

  it.effect("refuses what cannot be, naming the option and what it takes", () =>
    Effect.gen(function* () {
      assert.match(yield* refusal({ compressLevel: 23 }), /compressLevel.*1 to 22/)
      assert.match(yield* refusal({ compressType: "GZIP" as never }), /compressType.*NONE, ZLIB, LZ4, ZSTD/)
      const single = { transientStorePoolSize: 1, fastFailIfNoBufferInStorePool: true }
      assert.match(yield* refusal(single), /transientStorePoolSize.*2 at least/)
    })
  )
})
