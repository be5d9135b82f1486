import * as Mapping from "@millrace/core/kernel/native/Mapping"
import { ManyToOneRingBuffer } from "@millrace/core/kernel/ringbuffer/ManyToOneRingBuffer"
import { OneToOneRingBuffer } from "@millrace/core/kernel/ringbuffer/OneToOneRingBuffer"
import { TRAILER_LENGTH } from "@millrace/core/kernel/ringbuffer/RingBufferDescriptor"
import { group, type Case } from "#harness/Group"
import { forkPeer } from "#harness/Peer"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const CAPACITY = 1024 * 1024
const MESSAGE_LENGTH = 32

const onMessage = (): void => {}

/** A second process writes `count` messages, this one reads them; timed from the first message to the last. */
const read = (kind: "many" | "one"): Case => ({
  bytes: MESSAGE_LENGTH,
  count: 1_000_000,
  smokeCount: 1000,
  open: () => {
    const directory = mkdtempSync(join(tmpdir(), "millrace-bench-"))
    return {
      run: async (count) => {
        const path = join(directory, "ring")
        const region = Mapping.create(path, CAPACITY + TRAILER_LENGTH, { reserve: true })
        const ring =
          kind === "many" ? new ManyToOneRingBuffer(region.buffer()) : new OneToOneRingBuffer(region.buffer())
        const peer = forkPeer(import.meta.url, "./twoProcesses.child.ts", [path, kind, String(count)])
        await peer.receive()
        peer.send("go")
        let received = ring.read(onMessage)
        while (received === 0) {
          await new Promise((resolve) => setImmediate(resolve))
          received = ring.read(onMessage)
        }
        const first = received
        const start = process.hrtime.bigint()
        while (received < count) {
          received += ring.read(onMessage)
        }
        const elapsedNs = Number(process.hrtime.bigint() - start)
        await peer.exited
        region.close()
        rmSync(path)
        return { operations: Math.max(count - first, 1), elapsedNs }
      },
      close: () => rmSync(directory, { recursive: true, force: true })
    }
  }
})

export default group("core/ringbuffer/twoProcesses", {
  cases: { "many-to-one-32": read("many"), "one-to-one-32": read("one") }
})
