import * as TransportSimulation from "./transport/TransportSimulation.ts"
const from = Number(process.argv[2]),
  to = Number(process.argv[3] ?? from)
const steps = process.argv[4] ? Number(process.argv[4]) : undefined
const fails: Record<string, number[]> = {}
for (let seed = from; seed <= to; seed++) {
  const start = performance.now()
  try {
    const r = TransportSimulation.run({ seed, steps })
    if (from === to) console.log(JSON.stringify(r), Math.round(performance.now() - start), "ms")
  } catch (error) {
    const e = error as Error & { check?: string }
    const key = e.check ?? e.message.slice(0, 80)
    ;(fails[key] ??= []).push(seed)
    if (fails[key].length <= 2 || from === to) console.log(seed, from === to ? e.stack : e.message.slice(0, 600))
  }
}
console.log(fails)
