import { assert, describe, it } from "@effect/vitest"
import { BroadcastReceiver } from "../../src/broadcast/BroadcastReceiver.ts"
import { BroadcastTransmitter } from "../../src/broadcast/BroadcastTransmitter.ts"
import { CopyBroadcastReceiver } from "../../src/broadcast/CopyBroadcastReceiver.ts"
import type { AtomicBuffer } from "../../src/memory/AtomicBuffer.ts"
import { HeapRegion } from "../../src/memory/HeapRegion.ts"
import * as AeronFiles from "../AeronFiles.ts"

const CAPACITY = 1024 * 1024
const LATEST = CAPACITY + 16

/** Response types and message lengths, as read from the files by hand. */
const expected = {
  clean: [
    [0xf08, 12],
    [0xf07, 12],
    [0xf08, 12],
    [0xf03, 80],
    [0xf02, 91],
    [0xf09, 12]
  ],
  java: [
    [0xf08, 12],
    [0xf07, 12],
    [0xf03, 80],
    [0xf02, 91]
  ],
  "java-errors": [
    [0xf01, 160],
    [0xf01, 123],
    [0xf01, 169],
    [0xf08, 12],
    [0xf07, 12],
    [0xf01, 86],
    [0xf01, 122],
    [0xf01, 123],
    [0xf01, 123]
  ],
  "c-errors": [
    [0xf01, 752],
    [0xf01, 330],
    [0xf01, 269],
    [0xf08, 12],
    [0xf07, 12],
    [0xf01, 451],
    [0xf01, 225],
    [0xf01, 330],
    [0xf01, 330]
  ]
} as const

/** Everything since the buffer was made: nothing was overwritten yet, so a receiver can begin at 0. */
const receiveAll = (buffer: AtomicBuffer): Array<{ readonly typeId: number; readonly message: Uint8Array }> => {
  const latest = buffer.view.getBigInt64(LATEST, true)
  buffer.view.setBigInt64(LATEST, 0n, true)
  const receiver = new CopyBroadcastReceiver(new BroadcastReceiver(buffer))
  buffer.view.setBigInt64(LATEST, latest, true)
  const messages: Array<{ readonly typeId: number; readonly message: Uint8Array }> = []
  let received = 1
  while (received > 0) {
    received = receiver.receive((typeId, scratch, offset, length) => {
      messages.push({ typeId, message: scratch.bytes.slice(offset, offset + length) })
    })
  }
  return messages
}

describe("the to-clients broadcast of real drivers", () => {
  for (const [name, messages] of Object.entries(expected)) {
    it(`receives every response of ${name}`, () => {
      const received = receiveAll(AeronFiles.cnc(name).toClients)
      assert.deepStrictEqual(
        received.map(({ typeId, message }) => [typeId, message.length] as const),
        messages.map(([typeId, length]) => [typeId, length] as const)
      )
    })

    it(`writes the responses of ${name} to the same bytes`, () => {
      const theirs = AeronFiles.cnc(name).toClients
      const ours = new HeapRegion("broadcast", theirs.length).buffer()
      const transmitter = new BroadcastTransmitter(ours)
      for (const { typeId, message } of receiveAll(theirs)) {
        transmitter.transmit(typeId, message, 0, message.length)
      }
      assert.isUndefined(AeronFiles.firstDifference(ours.bytes, theirs.bytes))
    })

    it(`starts with the latest response of ${name}`, () => {
      const receiver = new BroadcastReceiver(AeronFiles.cnc(name).toClients)
      assert.isTrue(receiver.receiveNext())
      assert.deepStrictEqual([receiver.typeId, receiver.length], [...messages.at(-1)!])
      assert.isTrue(receiver.validate())
      assert.isFalse(receiver.receiveNext())
    })
  }
})
