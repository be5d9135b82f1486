/** Where our driver fails a test of Aeron's on purpose, and what is not run. */

const MEDIA_TIMESTAMPS = "media-rcv-ts-offset is refused, as by Aeron's Java driver, which these tests leave out"

/** Class, test, reason. */
export const differences: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  SystemCountersTest: {
    verifySystemCounters: "the label of the counter of errors has the version of the driver, which is ours"
  },
  TimestampingSystemTest: {
    shouldSupportMediaReceiveTimestampsInCDriver: MEDIA_TIMESTAMPS,
    "shouldNotCorruptFragmentedMessagesWhenTimestampsAreEnabled(boolean)[1]": MEDIA_TIMESTAMPS
  }
}

export const classesLeftOut: Readonly<Record<string, string>> = {
  ConcurrentPublicationTermRotationRaceTest: "races Java's own publishers for up to ten minutes",
  PrintEnvInfoTest: "prints the environment",
  RemoteEchoTest: "needs a second host"
}
