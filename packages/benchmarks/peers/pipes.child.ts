/**
 * The other process of a pipe: `kind address length`, and what the kind needs besides. It is told how many messages a run has, and says when it has them;
 * `…Echo` sends each back instead.
 */
import * as Client from "@millrace/transport/Client"
import * as Subscription from "@millrace/transport/Subscription"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { connect, type Socket } from "node:net"
import { once } from "node:events"
import { Pull, Push } from "zeromq"
import { parent } from "#harness/Peer"
import * as Framing from "./framing.shared.ts"

const [kind, address, lengthText, backAddress] = process.argv.slice(2)
const message = new Uint8Array(Number(lengthText))
const bench = parent()

/** Keeps the bytes of every message in use. */
let sum = 0
let remaining = 0
let finish = (): void => {}

const count = (bytes: Uint8Array): void => {
  sum += bytes[0] ?? 0
  remaining--
  if (remaining === 0) {
    finish()
  }
}

/** Runs until the parent asks for no messages. */
const serve = async (): Promise<void> => {
  bench.send("open")
  for (;;) {
    const run = await bench.receive<{ readonly count: number }>()
    if (run.count === 0) {
      return
    }
    remaining = run.count
    const done = new Promise<void>((resolve) => {
      finish = resolve
    })
    bench.send("ready")
    await done
    bench.send({ sum })
  }
}

const connected = async (): Promise<Socket> => {
  const socket = connect(address!)
  await once(socket, "connect")
  return socket
}

const unixSocket = async (): Promise<void> => {
  const socket = await connected()
  const decoder = new Framing.Decoder()
  socket.on("data", (chunk: Buffer) => decoder.decode(chunk, count))
  await serve()
  socket.destroy()
}

const unixSocketEcho = async (): Promise<void> => {
  const socket = await connected()
  const decoder = new Framing.Decoder()
  const answer = Framing.encode(message, 1)
  socket.on("data", (chunk: Buffer) => decoder.decode(chunk, () => socket.write(answer)))
  await serve()
  socket.destroy()
}

const zeromq = async (): Promise<void> => {
  const pull = new Pull()
  pull.connect(address!)
  const receiving = (async () => {
    for await (const [bytes] of pull) {
      count(bytes!)
    }
  })()
  await serve()
  pull.close()
  await receiving
}

const zeromqEcho = async (): Promise<void> => {
  const pull = new Pull()
  const push = new Push()
  pull.connect(address!)
  push.connect(backAddress!)
  const echoing = (async () => {
    for await (const [bytes] of pull) {
      await push.send(bytes!)
    }
  })()
  await serve()
  pull.close()
  await echoing
  push.close()
}

const millrace = (): Promise<void> =>
  Effect.gen(function* () {
    const subscription = yield* Subscription.make({ channel: backAddress!, streamId: 1001 })
    yield* Stream.runForEachArray(subscription.stream, (messages) => Effect.sync(() => messages.forEach(count))).pipe(
      Effect.forkScoped
    )
    yield* Effect.promise(serve)
  }).pipe(Effect.scoped, Effect.provide(Client.layerWith({ directory: address! })), Effect.runPromise)

const kinds: Readonly<Record<string, () => Promise<void>>> = {
  unixSocket,
  unixSocketEcho,
  zeromq,
  zeromqEcho,
  millrace
}

await kinds[kind!]!()
bench.close()
