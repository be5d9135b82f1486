/**
 * The figures of both halves for Prometheus and, by OTLP, for a collector: the driver's counters and the store's metrics
 * are Effect metrics, so whatever exports those exports these. Here the program scrapes itself, and is its own collector.
 */
import { ok } from "node:assert/strict"
import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { MessageStore, StoreMetrics } from "@millrace/store"
import { Client, MediaDriver, Publication, Subscription, TransportMetrics } from "@millrace/transport"
import { Console, Context, Deferred, Effect, Layer, Stream } from "effect"
import { FetchHttpClient, HttpClient, HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { OtlpMetrics, OtlpSerialization, PrometheusMetrics } from "effect/observability"

/** What a collector was sent first. */
class Collected extends Context.Service<Collected, Deferred.Deferred<string>>()("examples/Collected") {
  static readonly layer = Layer.effect(Collected, Deferred.make<string>())
}

const collector = Effect.gen(function* () {
  const collected = yield* Collected
  const receive = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    yield* Deferred.succeed(collected, yield* request.text)
    return HttpServerResponse.jsonUnsafe({})
  })
  return HttpRouter.add("POST", "/v1/metrics", receive)
})

const server = HttpRouter.serve(Layer.merge(PrometheusMetrics.layerHttp(), Layer.unwrap(collector)), {
  disableLogger: true,
  disableListenLog: true
}).pipe(
  Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" })),
  Layer.provideMerge(Collected.layer)
)

const both = Layer.mergeAll(TransportMetrics.layer(), StoreMetrics.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(Client.layer, MessageStore.layer({ directory: "metrics-store" }))),
  Layer.provideMerge(MediaDriver.layerEmbedded())
)

/** Some traffic to be counted. */
const work = Effect.gen(function* () {
  const store = yield* MessageStore.MessageStore
  const line = { channel: "aeron:ipc", streamId: 1001 }
  const subscription = yield* Subscription.make(line)
  const publication = yield* Publication.make(line)
  const storing = subscription.stream.pipe(
    Stream.take(100),
    Stream.runForEach((body) => store.put({ topic: "numbers", body }))
  )
  const publishing = Stream.range(1, 100).pipe(
    Stream.map((n) => Uint8Array.of(n)),
    Stream.run(publication.sink)
  )
  yield* Effect.all([storing, publishing], { concurrency: "unbounded" })
}).pipe(Effect.scoped)

const program = Effect.gen(function* () {
  yield* work
  const address = yield* HttpServer.addressFormattedWith((url) => Effect.succeed(url))

  const response = yield* HttpClient.get(`${address}/metrics`)
  const page = yield* response.text
  const lines = page.split("\n").filter((line) => /^(rocketmq_messages_in_total|aeron_client_heartbeat)/.test(line))
  yield* Console.log(lines.join("\n"))
  ok(/^rocketmq_messages_in_total\{.*\} 100$/m.test(page))
  ok(/^aeron_/m.test(page))

  const otlp = OtlpMetrics.layer({
    url: `${address}/v1/metrics`,
    resource: { serviceName: "millrace-example" },
    exportInterval: "100 millis"
  })
  const collected = yield* Collected
  const sent = yield* Deferred.await(collected).pipe(Effect.provide(otlp), Effect.timeout("10 seconds"))
  ok(sent.includes("rocketmq_messages_in_total") && sent.includes("aeron_"))
})

program.pipe(
  Effect.provide(Layer.mergeAll(server, both)),
  Effect.provide([FetchHttpClient.layer, OtlpSerialization.layerJson]),
  NodeRuntime.runMain
)
