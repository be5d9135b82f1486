/** How long things live, and how often the driver looks. */
import { duration, MILLISECOND, SECOND } from "./Setting.ts"

export const lifetimeSettings = {
  clientLivenessTimeout: duration(
    "aeron.client.liveness.timeout",
    10 * SECOND,
    "After this time without a sign of life a client is dead, and everything it owns ends."
  ),
  driverTimeout: duration(
    "aeron.driver.timeout",
    10 * SECOND,
    "A driver found in the directory counts as dead when its heartbeat is older. Aeron's number is milliseconds.",
    0,
    MILLISECOND
  ),
  timerInterval: duration(
    "aeron.timer.interval",
    SECOND,
    "How often the driver shows that it lives and checks who else does."
  ),
  imageLivenessTimeout: duration(
    "aeron.image.liveness.timeout",
    10 * SECOND,
    "How long an image stays without a sign of its publisher, and how long a rejected one stays away."
  ),
  publicationUnblockTimeout: duration(
    "aeron.publication.unblock.timeout",
    15 * SECOND,
    "After this time a claim that was never published is skipped. More than the client liveness timeout."
  ),
  publicationLingerTimeout: duration(
    "aeron.publication.linger.timeout",
    5 * SECOND,
    "How long a drained network publication stays for retransmits, and an embedded driver for its subscribers.",
    0
  ),
  publicationConnectionTimeout: duration(
    "aeron.publication.connection.timeout",
    5 * SECOND,
    "A receiver that was not heard of for this long is gone, and its publication not connected."
  ),
  untetheredWindowLimitTimeout: duration(
    "aeron.untethered.window.limit.timeout",
    5 * SECOND,
    "How long an untethered subscription may stay below the window before it is left behind.",
    0
  ),
  untetheredLingerTimeout: {
    ...duration(
      "aeron.untethered.linger.timeout",
      0,
      "How long it may still read what it has, once left behind. Default: as the window limit timeout.",
      0
    ),
    default: undefined
  },
  untetheredRestingTimeout: duration(
    "aeron.untethered.resting.timeout",
    10 * SECOND,
    "How long an untethered subscription that was left behind rests before it joins again.",
    0
  ),
  countersFreeToReuseTimeout: duration(
    "aeron.counters.free.to.reuse.timeout",
    SECOND,
    "How long the id of a counter that was freed is not given to another.",
    0
  ),
  conductorCycleThreshold: duration(
    "aeron.driver.conductor.cycle.threshold",
    100 * MILLISECOND,
    "Cycles of the conductor that take longer are counted.",
    0
  ),
  senderCycleThreshold: duration(
    "aeron.driver.sender.cycle.threshold",
    100 * MILLISECOND,
    "Cycles of the sender that take longer are counted.",
    0
  ),
  receiverCycleThreshold: duration(
    "aeron.driver.receiver.cycle.threshold",
    100 * MILLISECOND,
    "Cycles of the receiver that take longer are counted.",
    0
  )
} as const
