/** The page, and the samples that it draws: one JSON object, or one after the other as server-sent events. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { createServer } from "node:http"
import { badInput, type CommandError } from "../CommandError.ts"
import * as pageFiles from "../internal/pageFiles.ts"
import * as History from "../top/History.ts"
import type { Sample } from "../top/Sample.ts"
import * as Access from "./Access.ts"
import * as WebSample from "./WebSample.ts"

export type Host = "127.0.0.1" | "::1"

export interface MonitorOptions {
  readonly host: Host
  /** 0 for one that is free. */
  readonly port: number
  readonly intervalMs: number
}

/** Pages that follow at a time; each of them keeps a connection. */
export const FOLLOWERS_MAX = 32
/** Connections of any kind. */
const CONNECTIONS_MAX = 64
/** A browser that has lost the connection tries again after so long. */
const RETRY = "retry: 1000\n\n"

/** What is sampled, as JSON: whoever comes gets the samples of the last minute first, and who is slow misses some. */
interface Feed {
  readonly events: PubSub.PubSub<string>
  readonly latest: () => string
}

const feedOf = Effect.fnUntraced(function* (
  sample: Effect.Effect<Sample>,
  intervalMs: number
): Effect.fn.Return<Feed, never, Scope.Scope> {
  const events = yield* PubSub.sliding<string>({ capacity: History.LENGTH_MAX, replay: History.LENGTH_MAX })
  let latest = ""
  const publish = Effect.flatMap(sample, (now) => {
    latest = JSON.stringify(WebSample.of(now))
    return PubSub.publish(events, latest)
  })
  yield* publish
  yield* publish.pipe(Effect.delay(intervalMs), Effect.forever, Effect.forkScoped)
  return { events, latest: () => latest }
})

const answered = (response: HttpServerResponse.HttpServerResponse) =>
  HttpServerResponse.setHeaders(response, Access.HEADERS)

const text = (status: number, body: string) => HttpServerResponse.text(body, { status })

const answers = ({ events, latest }: Feed) => {
  let followers = 0
  const follow = Effect.sync(() => {
    if (followers >= FOLLOWERS_MAX) {
      return text(503, `${FOLLOWERS_MAX} pages follow already: close one\n`)
    }
    followers++
    const lines = Stream.fromPubSub(events).pipe(
      Stream.map((json) => `data: ${json}\n\n`),
      (samples) => Stream.concat(Stream.succeed(RETRY), samples),
      Stream.encodeText,
      Stream.ensuring(
        Effect.sync(() => {
          followers--
        })
      )
    )
    return HttpServerResponse.stream(lines, { contentType: "text/event-stream" })
  })
  return Effect.fnUntraced(function* (path: string, isHead: boolean) {
    switch (path) {
      case "/samples":
        return isHead
          ? HttpServerResponse.empty({ status: 200, headers: { "content-type": "text/event-stream" } })
          : yield* follow
      case "/sample":
        return HttpServerResponse.text(latest(), { contentType: "application/json" })
      default: {
        const file = yield* pageFiles.read(path)
        return file === undefined
          ? text(404, "there is no such page\n")
          : HttpServerResponse.uint8Array(file.bytes, { contentType: file.contentType })
      }
    }
  })
}

/** Serves until the scope closes; gives the address. */
export const serve = Effect.fnUntraced(function* (sample: Effect.Effect<Sample>, options: MonitorOptions) {
  const { host, intervalMs, port } = options
  const node = createServer()
  node.maxConnections = CONNECTIONS_MAX
  const server = yield* NodeHttpServer.make(() => node, { host, port, disablePreemptiveShutdown: true }).pipe(
    Effect.mapError((error) => unbound(error.cause, options))
  )
  const bound = node.address()
  const boundPort = typeof bound === "object" && bound !== null ? bound.port : port
  const answer = answers(yield* feedOf(sample, intervalMs))
  // Pages that follow would keep the server from closing.
  yield* Effect.addFinalizer(() => Effect.sync(() => node.closeAllConnections()))
  yield* server.serve(
    Effect.gen(function* () {
      const { headers, method, url } = yield* HttpServerRequest.HttpServerRequest
      const refused = Access.refusal(
        { method, host: headers["host"], origin: headers["origin"], site: headers["sec-fetch-site"] },
        boundPort
      )
      if (refused !== undefined) {
        const response = text(refused.status, refused.text)
        return answered(
          refused.status === 405 ? HttpServerResponse.setHeader(response, "allow", Access.METHODS.join(", ")) : response
        )
      }
      return answered(yield* answer(url.split("?")[0]!, method === "HEAD"))
    })
  )
  return `http://${host === "::1" ? "[::1]" : host}:${boundPort}/`
})

const unbound = (cause: unknown, { host, port }: MonitorOptions): CommandError => {
  const { code, message } = cause as NodeJS.ErrnoException
  return badInput(
    `--port ${port}`,
    code === "EADDRINUSE"
      ? `something listens on port ${port} of ${host} already: name another, or 0 for one that is free`
      : `cannot listen on ${host}: ${message}`
  )
}
