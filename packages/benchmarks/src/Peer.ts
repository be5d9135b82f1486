/**
 * The second process of a benchmark. The parent forks a file beside it and both exchange plain objects; a peer that
 * dies makes every pending and later `receive` fail, so that a benchmark never waits for a dead process.
 */
import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"

export interface Peer {
  readonly pid: number
  send(message: unknown): void
  /** The next message of the peer. Fails when it ends without one. */
  receive<A>(): Promise<A>
  /** Resolves when the peer has exited with code 0, and fails otherwise. */
  readonly exited: Promise<void>
  kill(): boolean
}

/** Forks `file`, relative to `importMetaUrl`, with the same Node and the same flags. */
export const forkPeer = (importMetaUrl: string, file: string, args: ReadonlyArray<string> = []): Peer => {
  const path = fileURLToPath(new URL(file, importMetaUrl))
  const child = fork(path, args, { serialization: "advanced", stdio: ["ignore", "inherit", "inherit", "ipc"] })
  const inbox = makeInbox(child)
  // A peer may be spinning and would not see that its parent has gone.
  const kill = () => child.kill("SIGKILL")
  process.once("exit", kill)
  const exited = new Promise<void>((resolve, reject) => {
    child.once("error", reject)
    child.once("exit", (code, signal) => {
      process.off("exit", kill)
      if (code === 0) {
        resolve()
      } else {
        reject(new Error(`${path} ended with ${signal ?? `code ${code}`}`))
      }
    })
  })
  exited.then(
    () => inbox.end(new Error(`${path} ended without an answer`)),
    (cause) => inbox.end(cause)
  )
  return {
    pid: child.pid ?? -1,
    send: (message) => child.send(message as object),
    receive: inbox.receive,
    exited,
    kill
  }
}

/** The parent, seen from the forked process. */
export const parent = (): Pick<Peer, "send" | "receive"> & { close(): void } => {
  if (process.send === undefined) {
    throw new Error("this file is the second process of a benchmark and is not started by hand")
  }
  const inbox = makeInbox(process)
  process.once("disconnect", () => inbox.end(new Error("the benchmark's parent process is gone")))
  return {
    send: (message) => process.send!(message),
    receive: inbox.receive,
    close: () => process.disconnect!()
  }
}

const makeInbox = (source: ChildProcess | NodeJS.Process) => {
  const messages: Array<unknown> = []
  const waiting: Array<{ readonly resolve: (message: unknown) => void; readonly reject: (cause: unknown) => void }> = []
  let ended: unknown
  source.on("message", (message: unknown) => {
    const first = waiting.shift()
    if (first === undefined) {
      messages.push(message)
    } else {
      first.resolve(message)
    }
  })
  return {
    receive: async <A>(): Promise<A> => {
      if (messages.length > 0) {
        return messages.shift() as A
      }
      if (ended !== undefined) {
        throw ended
      }
      return (await new Promise<unknown>((resolve, reject) => {
        waiting.push({ resolve, reject })
      })) as A
    },
    end: (cause: unknown): void => {
      ended = cause
      for (const { reject } of waiting.splice(0)) {
        reject(cause)
      }
    }
  }
}
