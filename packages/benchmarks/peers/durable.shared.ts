/** Messages that are kept, by what a Node program would take for it. What an acknowledgement means stands with each row. */
import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { DatabaseSync } from "node:sqlite"
import { Queue } from "bullmq"
import { Redis } from "ioredis"
import type { Bench } from "#harness/Group"

export interface Line {
  readonly length: number
  /** Messages of one call. */
  readonly batch: number
  /** Calls that wait at the same time. */
  readonly producers: number
  /** Whether an acknowledged message is on the device. */
  readonly isSync: boolean
}

const temporaryFolder = (): string => fs.mkdtempSync(join(tmpdir(), "millrace-bench-"))

/** A table as a log, in Node's own SQLite: one transaction a call. */
export const sqlite = async ({ batch, isSync, length }: Line): Promise<Bench> => {
  const folder = temporaryFolder()
  const database = new DatabaseSync(join(folder, "log.db"))
  database.exec("PRAGMA journal_mode = WAL")
  database.exec(`PRAGMA synchronous = ${isSync ? "FULL" : "NORMAL"}`)
  database.exec("CREATE TABLE log (position INTEGER PRIMARY KEY, key TEXT, tag TEXT, body BLOB)")
  database.exec("CREATE INDEX by_key ON log (key)")
  const insert = database.prepare("INSERT INTO log (key, tag, body) VALUES (?, ?, ?)")
  const body = new Uint8Array(length).fill(65)
  let stored = 0
  return {
    run: (count) => {
      for (let done = 0; done < count; done += batch) {
        database.exec("BEGIN")
        for (let index = 0; index < batch; index++) {
          insert.run(`key${stored++}`, "TagA", body)
        }
        database.exec("COMMIT")
      }
    },
    close: () => {
      database.close()
      fs.rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** Whether Redis is on this machine. */
export const hasRedis = (process.env["PATH"] ?? "").split(":").some((path) => fs.existsSync(join(path, "redis-server")))

const startRedis = async (folder: string, isSync: boolean): Promise<{ server: ChildProcess; path: string }> => {
  const path = join(folder, "redis.sock")
  const options = {
    port: "0",
    unixsocket: path,
    dir: folder,
    save: "",
    appendonly: "yes",
    appendfsync: isSync ? "always" : "everysec"
  }
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
  const server = spawn("redis-server", args, { stdio: "ignore" })
  const kill = () => server.kill("SIGKILL")
  process.once("exit", kill)
  server.once("exit", () => process.off("exit", kill))
  while (!fs.existsSync(path)) {
    if (server.exitCode !== null) {
      throw new Error(`redis-server ended with code ${server.exitCode} before it listened at ${path}`)
    }
    await setTimeout(10)
  }
  return { server, path }
}

/** A queue of jobs in Redis, which appends each command to its file. */
export const bullmq = async ({ batch, isSync, length, producers }: Line): Promise<Bench> => {
  const folder = temporaryFolder()
  const { path, server } = await startRedis(folder, isSync)
  const connection = new Redis({ path, maxRetriesPerRequest: null })
  const queue = new Queue("log", { connection })
  await queue.waitUntilReady()
  const data = { tag: "TagA", body: Buffer.alloc(length, 65).toString("latin1") }
  let stored = 0
  const produce = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done += batch) {
      await queue.addBulk(Array.from({ length: batch }, () => ({ name: `key${stored++}`, data })))
    }
  }
  return {
    run: async (count) => {
      await Promise.all(Array.from({ length: producers }, () => produce(count / producers)))
    },
    close: async () => {
      await queue.close()
      connection.disconnect()
      const ended = once(server, "exit")
      server.kill("SIGTERM")
      await ended
      fs.rmSync(folder, { recursive: true, force: true })
    }
  }
}
