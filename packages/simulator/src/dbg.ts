import * as TransportSimulation from "./transport/TransportSimulation.ts"
import type { World } from "./transport/World.ts"
let world: World
const seed = Number(process.argv[2])
const steps = process.argv[3] ? Number(process.argv[3]) : undefined
try {
  TransportSimulation.run({
    seed,
    steps,
    sabotage: (w) => {
      world = w
    }
  })
} catch (e) {
  console.log((e as Error).message.slice(0, 500))
}
console.log(JSON.stringify(world!.scenario, null, 1))
for (const h of world!.hosts) {
  console.log("==", h.directory, h.generation, h.applications.length, "apps")
  h.driver?.counters.forEach((c) => {
    if (c.typeId !== 0 || c.value !== 0n) console.log(c.typeId, c.value, c.label)
  })
  console.log(h.driver?.errors)
}
for (const a of world!.applications)
  for (const p of a.publishers)
    console.log(
      a.host.index,
      p.id,
      p.publication.sessionId,
      p.publication.isConnected,
      p.publication.position(),
      p.ledger.entries.slice(-2),
      p.ledger.entries.filter((e) => e.state === "Abandoned").length
    )
for (const a of world!.applications)
  for (const p of a.subscribers)
    console.log(
      a.host.index,
      "sub",
      p.id,
      p.subscription.current.map((i) => [i.sessionId, i.position, i.sourceIdentity])
    )
