import * as Peers from "../Peers.ts"
import { LITMUS, STOP } from "./Litmus.ts"

const VALUE_MAX = 2 ** 31 - 1

Peers.peer<{ readonly name: string }>((region, { name }) => {
  const { write } = LITMUS[name]!
  const words = region.buffer().int32
  let value = 1
  while (value < VALUE_MAX && Atomics.load(words, STOP) === 0) {
    const end = Math.min(value + 1000, VALUE_MAX)
    for (; value < end; value++) {
      write(words, value)
    }
  }
  return value
})
