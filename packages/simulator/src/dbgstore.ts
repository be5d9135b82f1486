import * as S from "./store/StoreSimulation.ts"
import { scenarioOf } from "./store/StoreScenario.ts"
import { SeededRandom } from "../../transport/src/simulation/SeededRandom.ts"
for (const seed of process.argv.slice(2).map(Number)) {
  const s = scenarioOf(new SeededRandom(seed))
  let m = "ok"
  let store: any
  try { S.run({ seed, sabotage: (x) => { store = x } }) } catch (e) { m = (e as Error).message.slice(0, 200) }
  console.log(seed, m, "\n  ", JSON.stringify({ ...s, options: { ...s.options } }))
  console.log("   crashes", store.disk.crashCount, store.disk.paths.filter((p: string) => p.includes("commitlog")).join(" "))
}
