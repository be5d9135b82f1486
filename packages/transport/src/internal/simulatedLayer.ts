/** A driver on a simulated machine, as a service. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { DriverLocation, MediaDriverService } from "../MediaDriver.ts"
import * as MediaDriverConfig from "../MediaDriverConfig.ts"
import type { SimulationService } from "../Simulation.ts"
import { InvalidOption, type TransportError } from "../TransportError.ts"
import { worldOf } from "./simulatedWorld.ts"
import { fail } from "./transportError.ts"

const KIB = 1024
/** Small, since a simulation makes several drivers; each option may be given. */
const DEFAULTS = {
  termBufferLength: 64 * KIB,
  ipcTermBufferLength: 64 * KIB,
  countersValuesBufferLength: 1024 * KIB
} satisfies MediaDriverConfig.MediaDriverOptions

export const make = Effect.fnUntraced(function* (
  simulation: SimulationService,
  options: MediaDriverConfig.MediaDriverOptions & { readonly host?: string }
): Effect.fn.Return<
  { readonly driver: MediaDriverService; readonly location: DriverLocation },
  TransportError,
  Scope.Scope
> {
  const world = worldOf(simulation)
  if (world === undefined) {
    const allowed = "a service that Simulation.layer made"
    return yield* fail(new InvalidOption({ option: "simulation", value: "another service", allowed }))
  }
  const settings = yield* MediaDriverConfig.conclude({ ...DEFAULTS, ...options })
  const { directory, host, terminated } = yield* world.startDriver(options.host ?? "localhost", settings)
  const wakeUnsafe = (): void => {}
  return {
    driver: { directory, wakeUnsafe, awaitTermination: terminated },
    location: { directory, wakeUnsafe, simulated: host }
  }
})
