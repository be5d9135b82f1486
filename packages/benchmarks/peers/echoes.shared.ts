/** Round trips by the same means as `pipes`: one message there and back, then the next. */
import { once } from "node:events"
import * as fs from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { Pull, Push } from "zeromq"
import type { Bench } from "#harness/Group"
import { forkPeer } from "#harness/Peer"
import * as RoundTrips from "../transport/java/roundTrips.shared.ts"
import * as Framing from "./framing.shared.ts"

const temporaryFolder = (): string => fs.mkdtempSync(join(tmpdir(), "millrace-bench-"))

/** A run of round trips, each of which is waited for. */
const bench = (roundTrip: () => Promise<void>, close: () => Promise<void>): Bench => ({
  run: async (count) => RoundTrips.measurementOf(count, await RoundTrips.measureAsync(count, roundTrip)),
  close
})

export const unixSocket = async (length: number): Promise<Bench> => {
  const folder = temporaryFolder()
  const path = join(folder, "socket")
  const server = createServer().listen(path)
  await once(server, "listening")
  const peer = forkPeer(import.meta.url, "./pipes.child.ts", ["unixSocketEcho", path, String(length)])
  const [socket] = await once(server, "connection")
  await peer.receive()
  const decoder = new Framing.Decoder()
  let answered = (): void => {}
  socket.on("data", (chunk: Buffer) => decoder.decode(chunk, () => answered()))
  const message = Framing.encode(new Uint8Array(length), 1)
  const roundTrip = (): Promise<void> =>
    new Promise((resolve) => {
      answered = resolve
      socket.write(message)
    })
  return bench(roundTrip, async () => {
    peer.send({ count: 0 })
    await peer.exited
    socket.destroy()
    server.close()
    fs.rmSync(folder, { recursive: true, force: true })
  })
}

export const zeromq = async (length: number): Promise<Bench> => {
  const folder = temporaryFolder()
  const there = `ipc://${join(folder, "there")}`
  const back = `ipc://${join(folder, "back")}`
  const push = new Push()
  const pull = new Pull()
  await push.bind(there)
  await pull.bind(back)
  const peer = forkPeer(import.meta.url, "./pipes.child.ts", ["zeromqEcho", there, String(length), back])
  await peer.receive()
  const message = new Uint8Array(length)
  const roundTrip = async (): Promise<void> => {
    await push.send(message)
    await pull.receive()
  }
  return bench(roundTrip, async () => {
    peer.send({ count: 0 })
    await peer.exited
    push.close()
    pull.close()
    fs.rmSync(folder, { recursive: true, force: true })
  })
}

export const postMessage = async (length: number): Promise<Bench> => {
  const worker = new Worker(new URL("./pipes.worker.ts", import.meta.url), { workerData: "echo" })
  await once(worker, "message")
  const message = new Uint8Array(length)
  let answered = (): void => {}
  worker.on("message", () => answered())
  const roundTrip = (): Promise<void> =>
    new Promise((resolve) => {
      answered = resolve
      worker.postMessage(message)
    })
  return bench(roundTrip, async () => {
    await worker.terminate()
  })
}
