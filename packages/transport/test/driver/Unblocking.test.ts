import { assert, describe, it } from "@effect/vitest"
import { TermAppender } from "@millrace/core/kernel/logbuffer/TermAppender"
import * as CommandType from "../../src/command/CommandType.ts"
import type { ImageBuffersReady } from "../../src/command/ImageBuffersReady.ts"
import type { PublicationBuffersReady } from "../../src/command/PublicationBuffersReady.ts"
import * as SystemCounters from "../../src/driver/SystemCounters.ts"
import { HeapDriver, named } from "./HeapDriver.ts"

const CHANNEL = "aeron:ipc"
const STREAM = 1001

describe("driver Conductor, after a client that died while it wrote", () => {
  it("skips a claim that was never published once the unblock timeout is over", () => {
    const driver = new HeapDriver()
    const client = driver.newClient()
    client.addSubscription(CHANNEL, STREAM)
    client.addPublication(CHANNEL, STREAM)
    const responses = driver.tick()
    const ready = named(responses, "onPublicationReady")[0] as PublicationBuffersReady
    const image = named(responses, "onAvailableImage")[0] as ImageBuffersReady
    const log = driver.log(ready.logFile)
    const appender = new TermAppender(log)
    assert.isAtLeast(appender.reserve(64), 0)
    new TermAppender(log).append(new Uint8Array(32), 0, 32)
    driver.pass(18_000, [client])
    assert.strictEqual(driver.systemCounter(SystemCounters.UNBLOCKED_PUBLICATIONS), 1)
    assert.strictEqual(log.terms[0].int32[0], 64)
    assert.strictEqual(driver.counters.value(image.subscriberPositionId), 0n)
  })

  it.each([false, true])(
    "gives up a log that was overwritten, closed by its publisher: %s, and works on",
    (isClosed) => {
      const driver = new HeapDriver()
      const client = driver.newClient()
      client.addSubscription(CHANNEL, STREAM)
      const publicationId = client.addPublication(CHANNEL, STREAM)
      const ready = named(driver.tick(), "onPublicationReady")[0] as PublicationBuffersReady
      const log = driver.log(ready.logFile)
      new TermAppender(log).append(new Uint8Array(32), 0, 32)
      log.terms[0].int32[0] = -5
      if (isClosed) {
        client.removePublication(publicationId, false)
      }
      const responses = driver.pass(20_000, [client])
      assert.strictEqual(named(responses, "onUnavailableImage").length, 1)
      assert.strictEqual(driver.errors.length, 1)
      assert.include(String(driver.errors[0]), "says it is 5 bytes long")
      assert.strictEqual(driver.logFactory.logs.size, isClosed ? 0 : 1)
    }
  )

  it("skips a command that was never written once the liveness timeout is over", () => {
    const driver = new HeapDriver()
    driver.ring.tryClaim(CommandType.ADD_SUBSCRIPTION, 40)
    const client = driver.newClient()
    client.addSubscription(CHANNEL, STREAM)
    assert.deepStrictEqual(named(driver.pass(9000), "onSubscriptionReady"), [])
    assert.strictEqual(named(driver.pass(4000), "onSubscriptionReady").length, 1)
    assert.strictEqual(driver.systemCounter(SystemCounters.UNBLOCKED_COMMANDS), 1)
  })
})
