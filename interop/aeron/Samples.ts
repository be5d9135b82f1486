/**
 * Aeron's samples for C and C++ on our driver, as a user runs them: publishers and subscribers, streams as fast as they
 * go, pings and pongs, programs that are their own subscribers, several at once, and a publisher that is killed.
 */
import type { Context } from "../Part.ts"
import * as CPeer from "./CPeer.ts"
import { cli } from "./Process.ts"
import { check, freePort, withDrivers } from "./Streams.ts"

const STREAM_ID = 6001
/** The basic publishers send a message a second, and are stopped when it was heard. */
const MANY = "1000"
const HEARD = "<<Hello World! "
const PINGS = "100"

/** A stream, as the options of a sample and as those of a command of ours. */
class Place {
  readonly sample: ReadonlyArray<string>
  readonly ours: ReadonlyArray<string>

  constructor(directory: string, channel: string, streamId: number) {
    this.sample = ["-p", directory, "-c", channel, "-s", `${streamId}`]
    this.ours = ["--dir", directory, "--channel", channel, "--stream", `${streamId}`]
  }
}

const udp = async (): Promise<string> => `aeron:udp?endpoint=localhost:${await freePort()}|term-length=256k`

/** Subscribers in C, in C++ and ours hear the same publisher, in C and in C++. */
const basics = async (context: Context, directory: string): Promise<void> => {
  for (const publisher of ["basic_publisher", "BasicPublisher"]) {
    const place = new Place(directory, await udp(), STREAM_ID)
    await check(
      context,
      `millrace driver: ${publisher} is heard by basic_subscriber, BasicSubscriber and millrace`,
      async () => {
        const subscribers = ["basic_subscriber", "BasicSubscriber"].map((name) => CPeer.sample(name, place.sample))
        const ours = cli(["subscribe", ...place.ours, "--count", "2"])
        await Promise.all(subscribers.map((subscriber) => subscriber.printed("hannel status")))
        const publishing = CPeer.sample(publisher, [...place.sample, "-m", MANY])
        await Promise.all(subscribers.map((subscriber) => subscriber.printed(HEARD)))
        await ours.end("Hello World! ")
        await publishing.stop("SIGINT")
        await Promise.all(subscribers.map((subscriber) => subscriber.stop("SIGINT")))
      }
    )
  }
}

/** Every message of every publisher is counted by a subscriber in C and one in C++. */
const streams = async (context: Context, directory: string, count: number): Promise<void> => {
  const publishers = ["streaming_publisher", "streaming_exclusive_publisher", "StreamingPublisher"]
  for (const channel of ["aeron:ipc?term-length=256k", await udp()]) {
    for (const [index, publisher] of publishers.entries()) {
      await check(
        context,
        `millrace driver, ${channel.slice(6, 9)}: ${count} messages of ${publisher} arrive at rate_subscriber and RateSubscriber`,
        async () => {
          const place = new Place(directory, channel, STREAM_ID + 10 + index)
          const subscribers = ["rate_subscriber", "RateSubscriber"].map((name) => CPeer.sample(name, place.sample))
          await subscribers[0]!.printed("hannel status")
          await subscribers[1]!.printed("Subscription: ")
          const publishing = CPeer.sample(publisher, [...place.sample, "-m", `${count}`, "-l", "1000"])
          await Promise.all(subscribers.map((subscriber) => subscriber.printed(`totals ${count} messages`)))
          await publishing.printed("ack pressure ratio")
          publishing.child.stdin!.end()
          await publishing.ended
          await Promise.all(subscribers.map((subscriber) => subscriber.stop("SIGINT")))
        }
      )
    }
  }
}

/** C++ programs that are their own subscribers, over IPC and UDP, all at once. */
const selves = async (context: Context, directory: string, count: number): Promise<void> =>
  check(context, "millrace driver: two Throughput and a PingPong at once", async () => {
    const throughputs = ["aeron:ipc", await udp()].map((channel, index) =>
      CPeer.sample("Throughput", [...new Place(directory, channel, STREAM_ID + 20 + index).sample, "-m", `${count}`])
    )
    const channels = ["-c", await udp(), "-C", await udp()]
    const pingPong = CPeer.sample("PingPong", ["-p", directory, ...channels, "-m", PINGS, "-w", PINGS])
    await Promise.all(throughputs.map((throughput) => throughput.printed("Done streaming.")))
    await pingPong.printed("Throughput of")
    await Promise.all([...throughputs, pingPong].map((self) => self.finish()))
  })

/** What they print when they are there to answer. */
const PONGS = { cpong: "Publication channel status", Pong: "Publication: ", millrace: "answering" } as const

/** Pings of C, of C++ and of ours, answered by pongs of each. `cpong` answers only the first who asks. */
const pings = async (context: Context, directory: string): Promise<void> => {
  for (const pong of ["cpong", "Pong", "millrace"] as const) {
    for (const ping of ["cping", "Ping", "millrace"]) {
      const [pingOf, pongOf] = [await udp(), await udp()]
      const channels = ["-p", directory, "-c", pingOf, "-C", pongOf]
      const ourChannels = ["--dir", directory, "--channel", pingOf, "--pong-channel", pongOf]
      await check(context, `millrace driver: ${ping} pings ${pong}`, async () => {
        const answering = pong === "millrace" ? cli(["pong", ...ourChannels]) : CPeer.sample(pong, channels)
        await answering.printed(PONGS[pong])
        if (ping === "millrace") {
          await cli(["ping", ...ourChannels, "--messages", PINGS, "--json"]).end("p50Us")
        } else {
          const pinging = CPeer.sample(ping, [...channels, "-m", PINGS, "-w", PINGS])
          await pinging.printed("[Mean")
          await pinging.finish()
        }
        await answering.stop("SIGINT")
      })
    }
  }
}

/** A publisher is killed amid its stream: its subscribers are told that it is gone, and another takes its place. */
const death = (context: Context, directory: string): Promise<void> =>
  check(context, "millrace driver: BasicPublisher dies, and subscribers go on with the next", async () => {
    const place = new Place(directory, await udp(), STREAM_ID + 30)
    const subscribers = ["basic_subscriber", "BasicSubscriber"].map((name) => CPeer.sample(name, place.sample))
    await Promise.all(subscribers.map((subscriber) => subscriber.printed("hannel status")))
    const doomed = CPeer.sample("BasicPublisher", [...place.sample, "-m", MANY])
    await Promise.all(subscribers.map((subscriber) => subscriber.printed(HEARD)))
    await doomed.stop("SIGKILL")
    await Promise.all(subscribers.map((subscriber) => subscriber.printed("Unavailable image")))
    const before = subscribers.map(({ output }) => output.length)
    const heir = CPeer.sample("basic_publisher", [...place.sample, "-m", MANY])
    await Promise.all(subscribers.map((subscriber, index) => subscriber.printed(HEARD, before[index])))
    await heir.stop("SIGINT")
    await Promise.all(subscribers.map((subscriber) => subscriber.stop("SIGINT")))
  })

export const run = async (context: Context, count: number): Promise<void> => {
  await withDrivers(["millrace"], async (directory) => {
    await basics(context, directory)
    await streams(context, directory, count)
    await selves(context, directory, count)
    await pings(context, directory)
  })
  const brief = { "aeron.client.liveness.timeout": "3000ms", "aeron.image.liveness.timeout": "3000ms" }
  await withDrivers(["millrace"], (directory) => death(context, directory), { millrace: brief })
}
