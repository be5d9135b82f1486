/** The directory at the driver's start and end, and who may end it. */
import { flag, text } from "./Setting.ts"

export const processSettings = {
  dirDeleteOnStart: flag(
    "aeron.dir.delete.on.start",
    false,
    "The directory is deleted at start, even that of a driver that lives."
  ),
  dirDeleteOnShutdown: flag(
    "aeron.dir.delete.on.shutdown",
    false,
    "The directory is deleted at the end. That of an embedded driver always is."
  ),
  dirWarnIfExists: flag(
    "aeron.dir.warn.if.exists",
    false,
    "A line on standard error when the directory is there already, and when the errors of its last driver were saved."
  ),
  printConfiguration: flag("aeron.print.configuration", false, "All options on standard output at start."),
  allowTermination: flag(
    "aeron.driver.termination.validator",
    false,
    "Clients may end the driver by a command. Aeron's values for this property are allow and deny."
  ),
  terminationToken: text(
    "millrace.termination.token",
    "Only a client that sends this token may end the driver, if anyone may; empty is any."
  )
} as const
