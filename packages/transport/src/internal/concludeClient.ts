/** Fills in the defaults of a client's options and checks each value. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ClientOptions } from "../Client.ts"
import * as ClientConfig from "../ClientConfig.ts"
import type { Setting } from "../config/Setting.ts"
import * as SettingValue from "../config/SettingValue.ts"
import { InvalidOption, type TransportError } from "../TransportError.ts"
import { fail } from "./transportError.ts"

const KEEPALIVE_INTERVAL_MS = 500
const CLIENT_NAME_LENGTH_MAX = 100
const NS_PER_MS = 1e6

export interface ConcludedClient {
  readonly driverTimeoutMs: number
  readonly keepaliveIntervalMs: number
  readonly resourceLingerMs: number
  readonly clientName: string
  /** Undefined = a client that loses its driver has ended. */
  readonly reconnectTimeoutMs: number | undefined
}

/** What is given, in the form that the setting is checked in. */
const valueOf = (setting: Setting, given: unknown): unknown =>
  setting.kind === "duration" && given !== undefined && typeof given !== "string"
    ? Math.round(Duration.toMillis(given as Duration.Input) * NS_PER_MS)
    : given

/** A text is a duration as Effect writes it, or none. */
const fromText = (given: unknown): unknown => {
  if (typeof given !== "string") {
    return given
  }
  try {
    return Duration.fromInputUnsafe(given as Duration.Input)
  } catch {
    return given
  }
}

const shown = (value: unknown): string => String(value)

const refuse = (option: string, value: unknown, allowed: string): Effect.Effect<never, TransportError> =>
  fail(new InvalidOption({ option, value: shown(value), allowed }))

export const concludeClient = (options: ClientOptions): Effect.Effect<ConcludedClient, TransportError> =>
  Effect.suspend(() => {
    const values: Record<string, unknown> = {}
    for (const [name, setting] of Object.entries<Setting>(ClientConfig.settings)) {
      const given = options[name as keyof ClientOptions]
      const value = valueOf(setting, setting.kind === "duration" ? fromText(given) : given) ?? setting.default
      // For ever is what nothing given means.
      values[name] = value === Infinity && setting.default === undefined ? undefined : value
      if (!SettingValue.isAllowed(setting, values[name])) {
        return refuse(name, given, SettingValue.describe(setting))
      }
    }
    const clientName = values["clientName"] as string
    if (clientName.length > CLIENT_NAME_LENGTH_MAX) {
      return refuse("clientName", clientName, `at most ${CLIENT_NAME_LENGTH_MAX} characters`)
    }
    const ms = (name: keyof typeof ClientConfig.settings, otherwise: number): number => {
      const value = values[name] as number | undefined
      return value === undefined ? otherwise : value / NS_PER_MS
    }
    const driverTimeoutMs = ms("driverTimeout", 0)
    return Effect.succeed({
      driverTimeoutMs,
      keepaliveIntervalMs: ms("keepaliveInterval", Math.min(KEEPALIVE_INTERVAL_MS, driverTimeoutMs / 4)),
      resourceLingerMs: ms("resourceLinger", 0),
      clientName,
      reconnectTimeoutMs: values["reconnect"] === true ? ms("reconnectTimeout", Infinity) : undefined
    })
  })
