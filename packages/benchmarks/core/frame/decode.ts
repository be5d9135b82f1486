/** What it costs to look at a frame: field by field in place, as a value, and through the schema. */
import * as Datagram from "@millrace/core/Datagram"
import * as Frame from "@millrace/core/Frame"
import * as DatagramScanner from "@millrace/core/kernel/frame/DatagramScanner"
import * as DataFrame from "@millrace/core/kernel/frame/DataFrame"
import { frameBuffer } from "@millrace/core/kernel/frame/FrameBuffer"
import * as HeaderDescriptor from "@millrace/core/kernel/frame/HeaderDescriptor"
import * as StatusMessageFrame from "@millrace/core/kernel/frame/StatusMessageFrame"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { group, type Case } from "#harness/Group"

const data = Frame.Data.make({
  flags: 0xc0,
  termOffset: 0,
  sessionId: 12_345,
  streamId: 1001,
  termId: 7,
  reservedValue: 0n,
  payload: new Uint8Array(96)
})

const statusMessage = Frame.StatusMessage.make({
  flags: 0,
  sessionId: 12_345,
  streamId: 1001,
  consumptionTermId: 7,
  consumptionTermOffset: 4096,
  receiverWindow: 131_072,
  receiverId: 0x1234_5678_9abc_def0n
})

const setup = Frame.Setup.make({
  flags: 0,
  termOffset: 0,
  sessionId: 12_345,
  streamId: 1001,
  initialTermId: 7,
  activeTermId: 7,
  termLength: 65_536,
  mtu: 1408,
  ttl: 0
})

/** Results of the cases end here, so that none is optimised away. */
let sink = 0

/** For cases that take longer than a call. Those in place have a loop of their own, or they would measure the call. */
const repeat =
  (once: () => number): Case["open"] =>
  () => ({
    run: (count) => {
      let sum = 0
      for (let i = 0; i < count; i++) {
        sum += once()
      }
      sink += sum
    }
  })

const asValue = (frame: Frame.Frame): Case["open"] => {
  const bytes = Frame.encode(frame)
  return repeat(() => Result.getOrThrow(Frame.decode(bytes)).flags)
}

const asSchema = (frame: Frame.Frame): Case["open"] => {
  const bytes = Frame.encode(frame)
  const decode = Schema.decodeSync(Frame.FromBytes)
  return repeat(() => decode(bytes).flags)
}

const dataBytes = Frame.encode(data)
const dataBuffer = frameBuffer(dataBytes)
const statusMessageBytes = Frame.encode(statusMessage)
const statusMessageBuffer = frameBuffer(statusMessageBytes)

const single = group("core/frame/decode/data", {
  baseline: "flyweight",
  cases: {
    flyweight: {
      allocation: true,
      open: () => ({
        run: (count) => {
          let sum = 0
          for (let i = 0; i < count; i++) {
            sum +=
              DataFrame.validate(dataBuffer, 0, dataBytes.length) +
              HeaderDescriptor.flags(dataBuffer, 0) +
              DataFrame.termOffset(dataBuffer, 0) +
              DataFrame.sessionId(dataBuffer, 0) +
              DataFrame.streamId(dataBuffer, 0) +
              DataFrame.termId(dataBuffer, 0)
          }
          sink += sum
        }
      })
    },
    value: { allocation: true, open: asValue(data) },
    schema: { allocation: true, open: asSchema(data) }
  }
})

const status = group("core/frame/decode/statusMessage", {
  baseline: "flyweight",
  cases: {
    flyweight: {
      allocation: true,
      open: () => ({
        run: (count) => {
          let sum = 0
          for (let i = 0; i < count; i++) {
            sum +=
              StatusMessageFrame.validate(statusMessageBuffer, 0, statusMessageBytes.length) +
              StatusMessageFrame.sessionId(statusMessageBuffer, 0) +
              StatusMessageFrame.streamId(statusMessageBuffer, 0) +
              StatusMessageFrame.consumptionTermId(statusMessageBuffer, 0) +
              StatusMessageFrame.consumptionTermOffset(statusMessageBuffer, 0) +
              StatusMessageFrame.receiverWindow(statusMessageBuffer, 0) +
              (StatusMessageFrame.receiverId(statusMessageBuffer, 0) === 0n ? 1 : 0)
          }
          sink += sum
        }
      })
    },
    value: { allocation: true, open: asValue(statusMessage) },
    schema: { allocation: true, open: asSchema(statusMessage) }
  }
})

const setups = group("core/frame/decode/setup", {
  baseline: "value",
  cases: {
    value: { allocation: true, open: asValue(setup) },
    schema: { allocation: true, open: asSchema(setup) }
  }
})

/** A datagram of Ethernet size: eleven frames of 96 bytes payload, as a publisher of small messages sends them. */
const datagramBytes = Result.getOrThrow(
  Datagram.encode({
    frames: [data, ...Array.from({ length: 10 }, (_, index) => ({ ...data, termOffset: (index + 1) * 128 }))]
  })
)
const datagramBuffer = frameBuffer(datagramBytes)

const datagram = group("core/frame/decode/datagram", {
  baseline: "scanner",
  cases: {
    scanner: {
      bytes: datagramBytes.length,
      allocation: true,
      open: () => ({
        run: (count) => {
          let sum = 0
          for (let i = 0; i < count; i++) {
            sum += DatagramScanner.validate(datagramBuffer, 0, datagramBytes.length)
          }
          sink += sum
        }
      })
    },
    value: {
      bytes: datagramBytes.length,
      allocation: true,
      open: repeat(() => Result.getOrThrow(Datagram.decode(datagramBytes)).frames.length)
    }
  }
})

export default [single, status, setups, datagram]
