/** The line that most tests of the driver begin with: one publication and one subscription of one client, and its log. */
import { TermAppender } from "@millrace/core/kernel/logbuffer/TermAppender"
import type { ImageBuffersReady } from "../../src/command/ImageBuffersReady.ts"
import type { PublicationBuffersReady } from "../../src/command/PublicationBuffersReady.ts"
import { HeapDriver, named } from "./HeapDriver.ts"

export const CHANNEL = "aeron:ipc"
export const STREAM = 1001

/** Counter types of a stream. */
export const PUBLISHER_LIMIT = 1
export const SUBSCRIBER_POSITION = 4
export const PUBLISHER_POSITION = 12

/** A driver with one publication and one subscription of one client. */
export const connected = (channel = CHANNEL, subscriptionChannel = CHANNEL) => {
  const driver = new HeapDriver()
  const client = driver.newClient()
  const subscriptionId = client.addSubscription(subscriptionChannel, STREAM)
  const publicationId = client.addPublication(channel, STREAM)
  const responses = driver.tick()
  const ready = named(responses, "onPublicationReady")[0] as PublicationBuffersReady
  const image = named(responses, "onAvailableImage")[0] as ImageBuffersReady
  return { driver, client, subscriptionId, publicationId, ready, image, log: driver.log(ready.logFile) }
}

export const publish = (log: ReturnType<HeapDriver["log"]>, length: number): number => {
  const payload = new Uint8Array(length)
  return new TermAppender(log).append(payload, 0, length)
}
