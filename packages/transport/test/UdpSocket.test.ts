import { assert, describe, it } from "@effect/vitest"
import * as UdpSocket from "@millrace/transport/UdpSocket"
import * as Effect from "effect/Effect"
import { DatagramSocket } from "effect/socket/DatagramSocket"

const loopback = (port: number) => UdpSocket.layer({ bind: { address: "127.0.0.1", port } })

describe("UdpSocket", () => {
  it.live("carries a datagram over loopback", () =>
    Effect.gen(function* () {
      const socket = yield* DatagramSocket
      const reader = yield* socket.reader
      const writer = yield* socket.writer
      yield* writer.write({ payload: Uint8Array.of(1, 2, 3), address: reader.address })
      const [datagram] = yield* reader.pull
      assert.deepStrictEqual(Array.from(datagram.payload), [1, 2, 3])
    }).pipe(Effect.scoped, Effect.provide(loopback(0)))
  )

  it.live("fails with a typed error where the port is taken", () =>
    Effect.gen(function* () {
      const first = yield* DatagramSocket
      const { port } = (yield* first.reader).address
      const second = Effect.flatMap(DatagramSocket, (socket) => Effect.scoped(socket.reader))
      const error = yield* Effect.flip(Effect.provide(second, loopback(port)))
      assert.strictEqual(error._tag, "DatagramSocketError")
    }).pipe(Effect.scoped, Effect.provide(loopback(0)))
  )
})
