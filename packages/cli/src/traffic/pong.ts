/** The process that answers a ping, when no `millrace pong` runs. */
import * as Client from "@millrace/transport/Client"
import * as Effect from "effect/Effect"
import { childMain } from "../internal/childMain.ts"
import { echo } from "./Echo.ts"
import { PongConfig } from "./TrafficConfig.ts"

childMain(PongConfig, (config) =>
  echo(config).pipe(Effect.provide(Client.layerWith({ directory: config.driverDirectory })))
)
