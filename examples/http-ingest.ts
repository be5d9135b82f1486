/**
 * An HTTP endpoint in front of a durable topic: a request is answered when its event is on disk, and refused with the
 * reason when it is not one. The program asks itself, as a client would.
 */
import { deepStrictEqual, strictEqual } from "node:assert/strict"
import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { MessageStore, Topic } from "@millrace/store"
import { Console, Effect, Layer, Schema, Stream } from "effect"
import {
  FetchHttpClient,
  HttpClient,
  HttpClientRequest,
  HttpRouter,
  HttpServer,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"

const Event = Schema.Struct({ user: Schema.String, action: Schema.String })

const events = Topic.make("events", { schema: Event, key: ({ user }) => user })

const ingest = Effect.gen(function* () {
  const topic = yield* events
  return HttpRouter.add(
    "POST",
    "/events",
    Effect.gen(function* () {
      const event = yield* HttpServerRequest.schemaBodyJson(Event)
      const { status } = yield* topic.append(event)
      return yield* HttpServerResponse.json({ status }, { status: 201 })
    }).pipe(
      Effect.catchTag("StoreError", ({ message }) => HttpServerResponse.json({ message }, { status: 503 })),
      Effect.catchTag("SchemaError", ({ message }) => HttpServerResponse.json({ message }, { status: 400 }))
    )
  )
})

const server = HttpRouter.serve(Layer.unwrap(ingest), { disableLogger: true, disableListenLog: true }).pipe(
  Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
)

const post = Effect.fn("post")(function* (body: unknown) {
  const client = yield* HttpClient.HttpClient
  const address = yield* HttpServer.addressFormattedWith((url) => Effect.succeed(url))
  const response = yield* client.execute(
    HttpClientRequest.post(`${address}/events`).pipe(HttpClientRequest.bodyJsonUnsafe(body))
  )
  return response.status
})

const program = Effect.gen(function* () {
  strictEqual(yield* post({ user: "ann", action: "open" }), 201)
  strictEqual(yield* post({ user: "ben", action: "read" }), 201)
  strictEqual(yield* post({ user: "ann" }), 400)

  const topic = yield* events
  const stored = yield* topic.stream({ from: "earliest", live: false }).pipe(Stream.runCollect)
  yield* Console.log(stored.map(({ value }) => `${value.user}: ${value.action}`).join(", "))
  deepStrictEqual(stored.map(({ value }) => value.user).toSorted(), ["ann", "ben"])
})

program.pipe(
  Effect.provide(server),
  Effect.provide([MessageStore.layer({ directory: "events", flushDiskType: "SYNC_FLUSH" }), FetchHttpClient.layer]),
  Effect.scoped,
  NodeRuntime.runMain
)
