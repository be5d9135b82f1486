/** The ids that this process gives messages. Made with the first of them: most programs make none. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import { networkInterfaces } from "node:os"
import { UniqueKeys } from "../commitlog/UniqueKey.ts"

/** The first address of IPv4 that others see, as RocketMQ's clients take it; else that of the machine to itself. */
const address = (): Uint8Array => {
  const outer = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal)
  return Uint8Array.from((outer?.address ?? "127.0.0.1").split("."), Number)
}

let keys: UniqueKeys | undefined

export const next: Effect.Effect<string> = Effect.map(Clock.currentTimeMillis, (epochMs) => {
  keys ??= new UniqueKeys({ address: address(), pid: process.pid, random: randomBytes(4).readUInt32BE() })
  return keys.next(epochMs)
})
