/** Sockets, the repair of loss, ports, names, and loss that a test asks for. */
import {
  alsoNamed,
  choice,
  duration,
  fraction,
  GIB,
  int64,
  integer,
  KIB,
  MIB,
  MICROSECOND,
  MILLISECOND,
  SECOND,
  size,
  text
} from "./Setting.ts"

export const networkSettings = {
  socketReceiveBufferLength: size(
    "aeron.socket.so_rcvbuf",
    128 * KIB,
    "Receive buffer of a socket; 0 is the system's.",
    0
  ),
  socketSendBufferLength: size("aeron.socket.so_sndbuf", 0, "Send buffer of a socket; 0 is the system's.", 0),
  statusMessageTimeout: duration(
    "aeron.rcv.status.message.timeout",
    200 * MILLISECOND,
    "After this time without a status message a receiver sends one."
  ),
  sendToStatusPollRatio: integer(
    "aeron.send.to.status.poll.ratio",
    6,
    "Cycles of the sender that send before one that listens, however much there is to send.",
    1,
    255
  ),
  networkPublicationMaxMessagesPerSend: integer(
    "aeron.network.publication.max.messages.per.send",
    64,
    "Datagrams of one publication in one cycle of the sender: others get their turn after them. Aeron's default is 4.",
    1,
    1024
  ),
  maxResend: integer("aeron.max.resend", 16, "Retransmits that a network publication has under way at once.", 1, 256),
  retransmitUnicastDelay: duration(
    "aeron.retransmit.unicast.delay",
    0,
    "How long a sender waits before it answers a NAK.",
    0
  ),
  retransmitUnicastLinger: duration(
    "aeron.retransmit.unicast.linger",
    10 * MILLISECOND,
    "Data that was sent again is not sent once more within this time."
  ),
  retransmitRate: size(
    "millrace.retransmit.rate",
    256 * MIB,
    "Bytes that a network publication sends again in a second, at most: with a tenth of it at once. What is beyond is not sent, and counted; 0 is no limit.",
    0,
    64 * GIB
  ),
  nakUnicastDelay: duration(
    "aeron.nak.unicast.delay",
    MICROSECOND,
    "How long a receiver waits before it asks for what is missing; 0 is at once.",
    0
  ),
  nakUnicastRetryDelayRatio: integer(
    "aeron.nak.unicast.retry.delay.ratio",
    100,
    "How many times that delay it waits before it asks again.",
    1
  ),
  senderWildcardPortRange: text(
    "aeron.sender.wildcard.port.range",
    'Ports, as `"low high"`, for senders whose channel has a `control` address with port 0; by default the system chooses.'
  ),
  receiverWildcardPortRange: text(
    "aeron.receiver.wildcard.port.range",
    'Ports, as `"low high"`, for receivers whose channel says port 0; by default the system chooses.'
  ),
  reResolutionCheckInterval: duration(
    "aeron.driver.reresolution.check.interval",
    SECOND,
    "How often endpoints that nobody answers are looked for, whose name is then resolved anew.",
    0
  ),
  nameResolver: choice(
    "aeron.name.resolver.supplier",
    "default",
    {
      default: ["aeron_default_name_resolver_supplier"],
      driver: ["aeron_driver_name_resolver_supplier"],
      csv_table: ["aeron_csv_table_name_resolver_supplier"]
    },
    "Who resolves names: the system, the drivers among each other, or a table."
  ),
  nameResolverInitArgs: text(
    "aeron.name.resolver.init.args",
    "The table of `csv_table`: `name,first host,host when resolved anew`, rows apart by `|`."
  ),
  nameResolverThreshold: alsoNamed(
    duration(
      "aeron.driver.name.resolver.threshold",
      5 * SECOND,
      "Resolutions of a name that take longer are counted.",
      0
    ),
    "aeron.name.resolver.threshold"
  ),
  resolverName: text("aeron.driver.resolver.name", "Name of this driver among the drivers that resolve names."),
  resolverInterface: text(
    "aeron.driver.resolver.interface",
    "Where this driver listens for what others know of names: `host:port`, `address:port/maskbits` or `{interface}:port`."
  ),
  resolverBootstrapNeighbor: text(
    "aeron.driver.resolver.bootstrap.neighbor",
    "Addresses of drivers to begin with, as `host:port`, apart by commas."
  ),
  resolverNeighborTimeout: duration(
    "aeron.driver.resolver.neighbor.timeout",
    10 * SECOND,
    "A neighbor that was not heard of for this long is forgotten.",
    MILLISECOND
  ),
  resolverSelfResolutionInterval: duration(
    "aeron.driver.resolver.self.resolution.interval",
    SECOND,
    "How often the driver tells its own name.",
    MILLISECOND
  ),
  resolverNeighborResolutionInterval: duration(
    "aeron.driver.resolver.neighbor.resolution.interval",
    2 * SECOND,
    "How often it tells the names that it knows.",
    MILLISECOND
  ),
  resolverBootstrapNeighborResolutionInterval: duration(
    "aeron.driver.resolver.bootstrap.neighbor.resolution.interval",
    10 * SECOND,
    "How often the names of the first neighbors are resolved anew.",
    MILLISECOND
  )
} as const

const LOSS_ARGUMENTS = "aeron.udp.channel.transport.bindings"

/** Loss for tests, by the names under which Aeron's own tests ask its drivers for it. */
export const lossSettings = {
  incomingInterceptors: text(
    "aeron.udp.channel.incoming.interceptors",
    "Loss of what arrives, for tests: `loss`, `fixed-loss`, `multi-gap-loss`, apart by commas."
  ),
  outgoingInterceptors: text(
    "aeron.udp.channel.outgoing.interceptors",
    "Loss of what is sent, for tests, by the same names and with the same arguments."
  ),
  lossArguments: text(
    `${LOSS_ARGUMENTS}.loss.args`,
    "Arguments of `loss`: `rate=0.2|seed=N|recv-msg-mask=0xM`, a bit of the mask for each type of frame."
  ),
  fixedLossArguments: text(
    `${LOSS_ARGUMENTS}.fixed.loss.args`,
    "Arguments of `fixed-loss`: `term-id=I|term-offset=O|length=L`."
  ),
  multiGapLossArguments: text(
    `${LOSS_ARGUMENTS}.multi.gap.loss.args`,
    "Arguments of `multi-gap-loss`: `term-id=I|gap-radix=R|gap-length=L|total-gaps=N`."
  ),
  receiveDataLossRate: fraction("aeron.debug.receive.data.loss.rate", "Share of data that receivers lose."),
  receiveDataLossSeed: int64("aeron.debug.receive.data.loss.seed", -1n, "Seed of that loss; -1 is one at random."),
  receiveControlLossRate: fraction(
    "aeron.debug.receive.control.loss.rate",
    "Share of status messages and NAKs that receivers lose on sending."
  ),
  receiveControlLossSeed: int64(
    "aeron.debug.receive.control.loss.seed",
    -1n,
    "Seed of that loss; -1 is one at random."
  ),
  sendDataLossRate: fraction("aeron.debug.send.data.loss.rate", "Share of data that senders lose on sending."),
  sendDataLossSeed: int64("aeron.debug.send.data.loss.seed", -1n, "Seed of that loss; -1 is one at random."),
  sendControlLossRate: fraction(
    "aeron.debug.send.control.loss.rate",
    "Share of status messages and NAKs that senders lose."
  ),
  sendControlLossSeed: int64("aeron.debug.send.control.loss.seed", -1n, "Seed of that loss; -1 is one at random.")
} as const
