/** What streams are like whose channel does not say it. */
import { choice, duration, flag, GIB, int64, integer, INT_MAX, KIB, SECOND, size } from "./Setting.ts"

const FLOW_CONTROL_NAMES = {
  max: [
    "multicast_max",
    "aeron_max_multicast_flow_control_strategy_supplier",
    "io.aeron.driver.MaxMulticastFlowControl",
    "io.aeron.driver.MaxMulticastFlowControlSupplier",
    "io.aeron.driver.DefaultMulticastFlowControlSupplier"
  ],
  min: [
    "multicast_min",
    "aeron_min_flow_control_strategy_supplier",
    "io.aeron.driver.MinMulticastFlowControl",
    "io.aeron.driver.MinMulticastFlowControlSupplier"
  ],
  tagged: [
    "multicast_tagged",
    "aeron_tagged_flow_control_strategy_supplier",
    "io.aeron.driver.TaggedMulticastFlowControl",
    "io.aeron.driver.TaggedMulticastFlowControlSupplier"
  ],
  unicast: [
    "unicast_max",
    "aeron_unicast_flow_control_strategy_supplier",
    "io.aeron.driver.UnicastFlowControl",
    "io.aeron.driver.DefaultUnicastFlowControlSupplier"
  ]
} as const

const { unicast: _unicast, ...GROUP_FLOW_CONTROL_NAMES } = FLOW_CONTROL_NAMES

export const streamSettings = {
  mtuLength: size("aeron.mtu.length", 1408, "Longest frame on a network, with its header.", 64, 65_504),
  ipcMtuLength: size("aeron.ipc.mtu.length", 1408, "Longest frame of an IPC publication, with its header.", 64, 65_504),
  publicationTermWindowLength: size(
    "aeron.publication.term.window.length",
    0,
    "How far a network publisher may be ahead of its subscribers; 0 is half a term.",
    0,
    GIB
  ),
  ipcPublicationTermWindowLength: size(
    "aeron.ipc.publication.term.window.length",
    0,
    "How far an IPC publisher may be ahead of its slowest subscriber; 0 is half a term.",
    0,
    GIB
  ),
  initialWindowLength: size(
    "aeron.rcv.initial.window.length",
    128 * KIB,
    "How far a network publisher may be ahead of a receiver.",
    256
  ),
  reliableStream: flag("aeron.reliable.stream", true, "Lost data of a network stream is asked for again."),
  tetherSubscriptions: flag("aeron.tether.subscriptions", true, "A slow local subscriber holds back the publisher."),
  rejoinStream: flag("aeron.rejoin.stream", true, "A subscriber that was left behind joins again."),
  spiesSimulateConnection: flag(
    "aeron.spies.simulate.connection",
    false,
    "A spy makes a network publication connected without any receiver."
  ),
  streamSessionLimit: integer(
    "aeron.driver.stream.session.limit",
    INT_MAX,
    "Images that one stream of an endpoint may have at once.",
    1
  ),
  reservedSessionIdLow: integer(
    "aeron.publication.reserved.session.id.low",
    -1,
    "First session id that the driver never chooses.",
    -INT_MAX - 1
  ),
  reservedSessionIdHigh: integer(
    "aeron.publication.reserved.session.id.high",
    1000,
    "Last session id that the driver never chooses.",
    -INT_MAX - 1
  ),
  unicastFlowControl: {
    ...choice(
      "aeron.unicast.FlowControl.supplier",
      "unicast",
      FLOW_CONTROL_NAMES,
      "Flow control of publications to one receiver. Their channels may not name one."
    ),
    aliases: ["aeron.unicast.flow.control.strategy"]
  },
  multicastFlowControl: {
    ...choice(
      "aeron.multicast.FlowControl.supplier",
      "max",
      GROUP_FLOW_CONTROL_NAMES,
      "Flow control of publications to a group whose channel has no `fc`."
    ),
    aliases: ["aeron.multicast.flow.control.strategy"]
  },
  unicastRetransmitWindowMultiple: integer(
    "aeron.unicast.flow.control.rrwm",
    16,
    "With one receiver a NAK is answered with at most this many windows.",
    1
  ),
  multicastRetransmitWindowMultiple: integer(
    "aeron.multicast.flow.control.rrwm",
    4,
    "With a group of receivers a NAK is answered with at most this many windows.",
    1
  ),
  flowControlReceiverTimeout: duration(
    "aeron.flow.control.receiver.timeout",
    5 * SECOND,
    "A receiver that the flow control `min` or `tagged` did not hear of for this long is not waited for.",
    0
  ),
  flowControlGroupTag: int64(
    "aeron.flow.control.group.tag",
    -1n,
    "Only receivers with this tag count for the flow control `tagged`."
  ),
  flowControlGroupMinSize: integer(
    "aeron.flow.control.group.min.size",
    0,
    "With fewer receivers a publication with the flow control `min` or `tagged` is not connected.",
    0
  ),
  receiverGroupTag: int64(
    "aeron.receiver.group.tag",
    undefined,
    "Tag that receivers tell their senders; by default none."
  ),
  congestionControl: choice(
    "aeron.CongestionControl.supplier",
    "static",
    {
      static: [
        "default",
        "aeron_congestion_control_default_strategy_supplier",
        "aeron_static_window_congestion_control_strategy_supplier",
        "io.aeron.driver.DefaultCongestionControlSupplier",
        "io.aeron.driver.StaticWindowCongestionControl"
      ],
      cubic: ["aeron_cubic_congestion_control_strategy_supplier", "io.aeron.driver.ext.CubicCongestionControl"]
    },
    "Congestion control of receivers whose channel has no `cc`."
  ),
  cubicMeasureRtt: flag(
    "aeron.CubicCongestionControl.measureRtt",
    false,
    "Receivers with the congestion control `cubic` measure the round trip."
  ),
  cubicInitialRtt: duration(
    "aeron.CubicCongestionControl.initialRtt",
    100_000,
    "The round trip that `cubic` takes for granted until it has measured one, and how often its window grows."
  ),
  cubicTcpMode: flag(
    "aeron.CubicCongestionControl.tcpMode",
    false,
    "`cubic` grows at least as fast as TCP would with the measured round trip."
  )
} as const
