/** The directory at the driver's start and end, and who may end it. */
import { flag, secret } from "./Setting.ts"

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
  printConfiguration: flag(
    "aeron.print.configuration",
    false,
    "`millrace driver` prints all options on standard output at start."
  ),
  allowTermination: flag("aeron.driver.termination.validator", false, "Clients may end the driver by a command.", {
    off: ["deny", "aeron_driver_termination_validator_default_deny", "io.aeron.driver.DefaultDenyTerminationValidator"],
    on: [
      "allow",
      "aeron_driver_termination_validator_default_allow",
      "io.aeron.driver.DefaultAllowTerminationValidator"
    ]
  }),
  terminationToken: secret(
    "millrace.termination.token",
    "Only a client that sends this token may end the driver, if anyone may; empty is any."
  )
} as const
