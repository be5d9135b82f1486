import { BroadcastReceiver } from "../../src/broadcast/BroadcastReceiver.ts"
import { CopyBroadcastReceiver } from "../../src/broadcast/CopyBroadcastReceiver.ts"
import { Lapped } from "../../src/broadcast/Lapped.ts"
import type { AtomicBuffer } from "../../src/memory/AtomicBuffer.ts"
import * as Peers from "../Peers.ts"
import { END_TYPE_ID, isWhole, READY_INDEX, TYPE_ID } from "./StressBroadcast.ts"

/** Receives until the end is announced; pauses after every `pauseEvery` messages, so that slow receivers are lapped. */
Peers.peer<{ readonly capacity: number; readonly pauseEvery: number }>((region, { capacity, pauseEvery }) => {
  const receiver = new CopyBroadcastReceiver(new BroadcastReceiver(region.buffer(0, capacity)))
  Atomics.add(region.buffer(capacity).int32, READY_INDEX, 1)
  const state = { received: 0, lapped: 0, last: -1, mayJump: true, isAtEnd: false }
  const onMessage = (typeId: number, buffer: AtomicBuffer, offset: number, length: number): void => {
    if (typeId === END_TYPE_ID) {
      state.isAtEnd = true
      return
    }
    const sequence = buffer.view.getInt32(offset, true)
    const isNext = state.mayJump ? sequence > state.last : sequence === state.last + 1
    if (typeId !== TYPE_ID || !isNext || !isWhole(buffer, offset, length, sequence)) {
      throw new Error(
        `type ${typeId}, message ${sequence} of ${length} bytes after ${state.last}, lapped ${state.lapped}`
      )
    }
    state.last = sequence
    state.mayJump = false
    state.received++
    if (state.received % pauseEvery === 0) {
      Peers.pause()
    }
  }
  while (!state.isAtEnd) {
    try {
      if (receiver.receive(onMessage) === 0) {
        Peers.pause()
      }
    } catch (error) {
      if (!(error instanceof Lapped)) {
        throw error
      }
      state.lapped++
      state.mayJump = true
    }
  }
  return { received: state.received, lapped: state.lapped, last: state.last }
})
