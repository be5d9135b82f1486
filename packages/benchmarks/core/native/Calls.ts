/** What one call of libc through koffi costs, beside one of a function of this program. */
import * as Libc from "@millrace/core/kernel/native/Libc"
import { group } from "#harness/Group"

const ours = (() => {
  let calls = 0
  return (): number => ++calls
})()

/** Results of the cases end here, so that none is optimised away. */
let sum = 0

const times = (call: () => number) => ({
  run: (count: number) => {
    for (let done = 0; done < count; done++) {
      sum = (sum + call()) | 0
    }
  }
})

export default group("core/native/Calls", {
  baseline: "javascript",
  cases: {
    javascript: { open: () => times(ours) },
    // It asks the kernel for nothing that changes, and does nothing with the answer.
    getpid: { open: () => times(Libc.declare<[], number>("int getpid(void)")()) }
  }
})
