/**
 * The options of a client, with their defaults and limits. Where Aeron's clients have the same option it has the same
 * name, so that one environment serves programs of both.
 *
 * @since 0.1.0
 */
import type * as Config from "effect/Config"
import type { ClientOptions } from "./Client.ts"
import { duration, flag, MILLISECOND, SECOND, text } from "./config/Setting.ts"
import * as settingConfig from "./internal/settingConfig.ts"

/**
 * All settings with their defaults and limits; durations in nanoseconds. The configuration page is made from them.
 *
 * @category settings
 * @since 0.1.0
 */
export const settings = {
  driverTimeout: duration(
    "aeron.driver.timeout",
    10 * SECOND,
    "How old the driver's heartbeat may be, how long an answer may take, and how long to wait for a driver that is just starting. Aeron's number is milliseconds.",
    MILLISECOND,
    MILLISECOND
  ),
  keepaliveInterval: {
    ...duration(
      "millrace.client.keepalive.interval",
      0,
      "How often the client shows that it lives. Default: 500 ms, or a quarter of the driver timeout when that is less.",
      MILLISECOND
    ),
    default: undefined
  },
  resourceLinger: duration(
    "aeron.client.resource.linger.duration",
    3 * SECOND,
    "How long a log that nobody uses stays mapped.",
    MILLISECOND
  ),
  clientName: text(
    "aeron.client.name",
    "Shown in the label of the client's heartbeat counter; at most 100 characters."
  ),
  reconnect: flag(
    "millrace.client.reconnect",
    false,
    "A client that loses its driver, or is timed out by it, waits for the next one and makes everything anew there."
  ),
  reconnectTimeout: {
    ...duration(
      "millrace.client.reconnect.timeout",
      0,
      "How long it waits for a driver before it ends. Default: for ever.",
      MILLISECOND
    ),
    default: undefined
  }
} as const

/**
 * The options as a `Config`: by the names of `settings`, or else by Aeron's environment variables, with `directory` (or
 * `AERON_DIR`).
 *
 * @category config
 * @since 0.1.0
 */
export const config: Config.Config<ClientOptions> = settingConfig.make<ClientOptions>(settings, {
  directory: settingConfig.directory
})
