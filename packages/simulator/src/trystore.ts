import * as S from "./store/StoreSimulation.ts"
const from = Number(process.argv[2]),
  to = Number(process.argv[3] ?? from)
const fails: Record<string, number[]> = {}
const t0 = performance.now()
const sum = { put: 0, promised: 0, refused: 0, faults: 0, crashes: 0 }
for (let seed = from; seed <= to; seed++) {
  try {
    const r = S.run({ seed })
    for (const k of Object.keys(sum) as (keyof typeof sum)[]) sum[k] += r[k]
    if (from === to) console.log(JSON.stringify(r))
  } catch (error) {
    const e = error as Error & { check?: string }
    const key = e.check ?? e.message.slice(0, 80)
    ;(fails[key] ??= []).push(seed)
    if (fails[key].length <= 2 || from === to)
      console.log(seed, from === to || !e.check ? e.stack : e.message.slice(0, 600))
  }
}
console.log(fails, sum, performance.now() - t0)
