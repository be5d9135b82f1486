/**
 * The driver's own counters. Each has its fixed id, which tools look it up by; its registration id is its id, its owner
 * −1. Static parts of a label (versions, thresholds) are filled in when the driver starts.
 */
import { AtomicCounter } from "@millrace/core/kernel/counters/AtomicCounter"
import type { CountersManager } from "@millrace/core/kernel/counters/CountersManager"
import { assert } from "@millrace/core/kernel/memory/Assert"
import type { AtomicBuffer } from "@millrace/core/kernel/memory/AtomicBuffer"

export const TYPE_ID = 0

export const BYTES_SENT = 0
export const BYTES_RECEIVED = 1
export const RECEIVER_PROXY_FAILS = 2
export const SENDER_PROXY_FAILS = 3
export const CONDUCTOR_PROXY_FAILS = 4
export const NAK_MESSAGES_SENT = 5
export const NAK_MESSAGES_RECEIVED = 6
export const STATUS_MESSAGES_SENT = 7
export const STATUS_MESSAGES_RECEIVED = 8
export const HEARTBEATS_SENT = 9
export const HEARTBEATS_RECEIVED = 10
export const RETRANSMITS_SENT = 11
export const FLOW_CONTROL_UNDER_RUNS = 12
export const FLOW_CONTROL_OVER_RUNS = 13
export const INVALID_PACKETS = 14
export const ERRORS = 15
export const SHORT_SENDS = 16
export const FREE_FAILS = 17
export const SENDER_FLOW_CONTROL_LIMITS = 18
export const UNBLOCKED_PUBLICATIONS = 19
export const UNBLOCKED_COMMANDS = 20
export const POSSIBLE_TTL_ASYMMETRY = 21
export const CONTROLLABLE_IDLE_STRATEGY = 22
export const LOSS_GAP_FILLS = 23
export const CLIENT_TIMEOUTS = 24
export const RESOLUTION_CHANGES = 25
export const CONDUCTOR_MAX_CYCLE_TIME = 26
export const CONDUCTOR_CYCLE_TIME_THRESHOLD_EXCEEDED = 27
export const SENDER_MAX_CYCLE_TIME = 28
export const SENDER_CYCLE_TIME_THRESHOLD_EXCEEDED = 29
export const RECEIVER_MAX_CYCLE_TIME = 30
export const RECEIVER_CYCLE_TIME_THRESHOLD_EXCEEDED = 31
export const NAME_RESOLVER_MAX_TIME = 32
export const NAME_RESOLVER_TIME_THRESHOLD_EXCEEDED = 33
export const SOFTWARE_VERSION = 34
export const BYTES_CURRENTLY_MAPPED = 35
export const RETRANSMITTED_BYTES = 36
export const RETRANSMIT_OVERFLOW = 37
export const ERROR_FRAMES_RECEIVED = 38
export const ERROR_FRAMES_SENT = 39
export const PUBLICATIONS_REVOKED = 40
export const PUBLICATION_IMAGES_REVOKED = 41
export const IMAGES_REJECTED = 42
export const CONTROL_PROTOCOL_VERSION = 43
export const STATUS_MESSAGES_REJECTED = 44
export const NATIVE_RESOURCE_PROXY_FAILS = 45

/** What the labels say of this driver. */
export interface DriverIdentity {
  readonly version: string
  readonly commit: string
  readonly resolverName: string
  readonly threadingMode: string
  readonly conductorThreshold: string
  readonly senderThreshold: string
  readonly receiverThreshold: string
  readonly nameResolverThreshold: string
}

/** Labels in the order of the ids. */
const labels = (driver: DriverIdentity): ReadonlyArray<string> => [
  "Bytes sent",
  "Bytes received",
  "Failed offers to ReceiverProxy",
  "Failed offers to SenderProxy",
  "Failed offers to DriverConductorProxy",
  "NAKs sent",
  "NAKs received",
  "Status Messages sent",
  "Status Messages received",
  "Heartbeats sent",
  "Heartbeats received",
  "Retransmits sent",
  "Flow control under runs",
  "Flow control over runs",
  "Invalid packets",
  `Errors: version=${driver.version} commit=${driver.commit}`,
  "Short sends",
  "Failed attempts to free log buffers",
  "Sender flow control limits, i.e. back-pressure events",
  "Unblocked Publications",
  "Unblocked Control Commands",
  "Possible TTL Asymmetry",
  "ControllableIdleStrategy status",
  "Loss gap fills",
  "Client liveness timeouts",
  `Resolution changes: driverName=${driver.resolverName}`,
  `Conductor max cycle time doing its work in ns: ${driver.threadingMode}`,
  `Conductor work cycle exceeded threshold count: threshold=${driver.conductorThreshold} ${driver.threadingMode}`,
  `Sender max cycle time doing its work in ns: ${driver.threadingMode}`,
  `Sender work cycle exceeded threshold count: threshold=${driver.senderThreshold} ${driver.threadingMode}`,
  `Receiver max cycle time doing its work in ns: ${driver.threadingMode}`,
  `Receiver work cycle exceeded threshold count: threshold=${driver.receiverThreshold} ${driver.threadingMode}`,
  "NameResolver max time in ns",
  `NameResolver exceeded threshold count: threshold=${driver.nameResolverThreshold}`,
  `Aeron software: version=${driver.version} commit=${driver.commit}`,
  "Bytes currently mapped",
  "Retransmitted bytes",
  "Retransmit Pool Overflow count",
  "Error Frames received",
  "Error Frames sent",
  "Publications Revoked",
  "Publication Images Revoked",
  "Images rejected",
  "Control protocol version",
  "Status Messages rejected",
  "Failed offers to NativeResourceAgentProxy"
]

const OWNER_DRIVER = -1n
const KEY_LENGTH = 4

const keyOf = (id: number): Uint8Array => {
  const key = new Uint8Array(KEY_LENGTH)
  new DataView(key.buffer).setInt32(0, id, true)
  return key
}

const COUNT = NATIVE_RESOURCE_PROXY_FAILS + 1

/** The counters by their ids. Each agent has its own view of them; those that several of them count are incremented. */
export class SystemCounters {
  private readonly counters: ReadonlyArray<AtomicCounter>

  /** Those that are there already. */
  constructor(values: AtomicBuffer) {
    this.counters = Array.from({ length: COUNT }, (_, id) => new AtomicCounter(values, id))
  }

  /** Allocates all of them, which must be the first allocations of the manager: tools find them by their ids. */
  static allocate(manager: CountersManager, driver: DriverIdentity): SystemCounters {
    for (const [id, label] of labels(driver).entries()) {
      const counterId = manager.allocate({
        typeId: TYPE_ID,
        key: keyOf(id),
        label,
        registrationId: BigInt(id),
        ownerId: OWNER_DRIVER
      })
      assert(counterId === id, "system counters have the first ids of the counters file")
    }
    return new SystemCounters(manager.values)
  }

  get(id: number): AtomicCounter {
    return this.counters[id]!
  }

  /** May be called by any agent. */
  increment(id: number): void {
    this.counters[id]!.getAndAdd(1n)
  }
}
