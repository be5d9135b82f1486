/**
 * What another thread does between two instructions of this one, each time: an interleaving that threads of their own
 * meet once in a million.
 */
import { vi } from "vitest"

/** Does `step` right before this thread's next `Atomics.load` or `Atomics.compareExchange`, and nothing before others. */
export const beforeNext = (access: "load" | "compareExchange", step: () => void): void => {
  const original: (...args: ReadonlyArray<never>) => never = Atomics[access] as never
  const spy = vi.spyOn(Atomics, access).mockImplementation((...args: ReadonlyArray<unknown>) => {
    spy.mockRestore()
    step()
    return Reflect.apply(original, Atomics, args)
  })
}
