import type { Clock } from "@millrace/core/kernel/agent/Clock"
import type { LocalTime } from "../engine/LocalTime.ts"

/** Time in the time zone of the process. */
export const localTime = (clock: Clock): LocalTime => ({
  epochMs: () => clock.epochMs(),
  hour: () => new Date(clock.epochMs()).getHours(),
  stamp: () => stampOf(new Date(clock.epochMs()))
})

const stampOf = (date: Date): string => {
  const two = (value: number) => String(value).padStart(2, "0")
  const day = `${date.getFullYear()}${two(date.getMonth() + 1)}${two(date.getDate())}`
  const time = `${two(date.getHours())}${two(date.getMinutes())}${two(date.getSeconds())}`
  return `${day}${time}${String(date.getMilliseconds()).padStart(3, "0")}`
}
