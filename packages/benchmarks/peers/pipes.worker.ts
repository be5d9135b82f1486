/** The other thread: it is told how many messages follow, and says when it has them. Those of an echo go back. */
import { parentPort, workerData } from "node:worker_threads"

interface Announced {
  readonly count: number
}

const port = parentPort!
const isEcho = workerData === "echo"

/** Keeps the bytes of every message in use. */
let sum = 0
let remaining = 0

port.on("message", (message: Announced | Uint8Array) => {
  if (!(message instanceof Uint8Array)) {
    remaining = message.count
    return
  }
  if (isEcho) {
    port.postMessage(message)
    return
  }
  sum += message[0] ?? 0
  remaining--
  if (remaining === 0) {
    port.postMessage(sum)
  }
})
port.postMessage("open")
