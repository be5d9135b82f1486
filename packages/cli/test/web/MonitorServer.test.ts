import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { once } from "node:events"
import * as http from "node:http"
import * as fs from "node:fs"
import * as MonitorServer from "../../src/web/MonitorServer.ts"
import * as WebSample from "../../src/web/WebSample.ts"
import { both, driver, stream, TIME_MS } from "../top/samples.ts"

/** A server whose samples are numbered by the pids of their drivers. */
const serve = (options: Partial<MonitorServer.MonitorOptions> = {}) =>
  Effect.suspend(() => {
    let taken = 0
    const sample = Effect.sync(() => ({ ...both, driver: driver({ pid: ++taken }) }))
    return MonitorServer.serve(sample, { host: "127.0.0.1", port: 0, intervalMs: 10, ...options })
  })

const asked = (url: string, options: http.RequestOptions = {}) =>
  Effect.promise(async () => {
    const request = http.request(url, { agent: false, ...options })
    request.end()
    const [response] = (await once(request, "response")) as [http.IncomingMessage]
    let text = ""
    for await (const chunk of response.setEncoding("utf8")) {
      text += chunk
    }
    return { status: response.statusCode, headers: response.headers, text }
  })

/** Follows the samples until the text has something; the connection stays open until the scope closes. */
const followed = (url: string, until: RegExp) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const request = http.get(`${url}samples`, { agent: false })
      const [response] = (await once(request, "response")) as [http.IncomingMessage]
      response.setEncoding("utf8").on("error", () => {})
      let text = ""
      while (!until.test(text)) {
        const [chunk] = (await once(response, "data")) as [string]
        text += chunk
      }
      return { request, response, text }
    }),
    ({ request }) => Effect.sync(() => request.destroy())
  )

describe("MonitorServer", () => {
  it.live("serves the page with all that it needs, and nothing else of the machine", () =>
    Effect.gen(function* () {
      const url = yield* serve()
      const page = yield* asked(url)
      assert.strictEqual(page.status, 200)
      assert.match(page.headers["content-type"]!, /^text\/html/)
      const files = [...page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, file]) => file!)
      const scripts = fs.readdirSync(new URL("../../page/", import.meta.url)).filter((name) => name.endsWith(".js"))
      for (const file of [...files, ...scripts.map((name) => `/${name}`)]) {
        const { headers, status } = yield* asked(new URL(file, url).href)
        assert.strictEqual(status, 200, file)
        assert.match(headers["content-type"]!, /^text\/(?:css|javascript)/)
        assert.strictEqual(headers["x-content-type-options"], "nosniff")
        assert.match(headers["content-security-policy"] as string, /default-src 'none'/)
      }
      for (const path of ["/../package.json", "/%2e%2e/package.json", "/page", "/constructor", "//"]) {
        assert.strictEqual((yield* asked(url, { path })).status, 404, path)
      }
      assert.deepInclude(yield* asked(url, { method: "HEAD" }), { status: 200, text: "" })
    }).pipe(Effect.scoped)
  )

  it.live("answers neither other methods nor other names", () =>
    Effect.gen(function* () {
      const url = yield* serve()
      const post = yield* asked(url, { method: "POST" })
      assert.deepInclude(post, { status: 405 })
      assert.strictEqual(post.headers.allow, "GET, HEAD")
      for (const path of ["/", "/samples", "/sample", "/page.js"]) {
        assert.strictEqual((yield* asked(url, { path, headers: { host: "evil.example" } })).status, 421, path)
      }
      const foreign = yield* asked(`${url}sample`, { headers: { origin: "http://evil.example" } })
      assert.strictEqual(foreign.status, 403)
      assert.notInclude(foreign.text, "driver")
    }).pipe(Effect.scoped)
  )

  it.live("sends the samples that there were and then each new one, to everyone", () =>
    Effect.gen(function* () {
      const url = yield* serve()
      const first = yield* followed(url, /"pid":4\b[^]*\n\n/)
      assert.strictEqual(first.response.headers["content-type"], "text/event-stream")
      const second = yield* followed(url, /"pid":5\b[^]*\n\n/)
      const pids = [...second.text.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json!).driver.pid)
      assert.deepStrictEqual(pids.slice(0, 5), [1, 2, 3, 4, 5])
      const now = JSON.parse((yield* asked(`${url}sample`)).text)
      assert.isAtLeast(now.driver.pid, 5)
      assert.deepInclude(now, { timeMs: TIME_MS })
    }).pipe(Effect.scoped)
  )

  it.live("has a limit of pages that follow, and room again when one is closed", () =>
    Effect.gen(function* () {
      const url = yield* serve()
      const all = yield* Effect.forEach(
        Array.from({ length: MonitorServer.FOLLOWERS_MAX }),
        () => followed(url, /data:/),
        { concurrency: "unbounded" }
      )
      assert.strictEqual((yield* asked(`${url}samples`)).status, 503)
      all[0]!.request.destroy()
      yield* asked(`${url}samples`, { method: "HEAD" })
      yield* followed(url, /data:/).pipe(
        Effect.timeoutOption("50 millis"),
        Effect.repeat({ until: (one) => one._tag === "Some" })
      )
    }).pipe(Effect.scoped)
  )

  it.live("ends at once while pages follow", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const url = yield* Scope.provide(serve(), scope)
      const { response } = yield* followed(url, /data:/)
      const closed = Effect.callback<void>((resume) => void response.once("close", () => resume(Effect.void)))
      yield* Effect.all([Scope.close(scope, Exit.void), closed], { concurrency: 2 })
    }).pipe(Effect.scoped)
  )

  it.live("says that its port is taken", () =>
    Effect.gen(function* () {
      const { port } = new URL(yield* serve())
      const { message } = yield* Effect.flip(serve({ port: Number(port) }))
      assert.match(
        message,
        new RegExp(`--port ${port}: something listens on port ${port} of 127\\.0\\.0\\.1 already: name another`)
      )
    }).pipe(Effect.scoped)
  )
})

describe("WebSample", () => {
  it("has the rows that move most, and how many there are", () => {
    const streams = Array.from({ length: 1000 }, (_, n) => stream({ streamId: n, bytesPerSecond: n }))
    const { driver: shown } = WebSample.of({ ...both, driver: driver({ streams }) })
    assert.deepInclude(shown, { streamCount: 1000, clientCount: 2 })
    const ids = (shown as { readonly streams: ReadonlyArray<{ readonly streamId: number }> }).streams
    assert.lengthOf(ids, WebSample.ROWS_MAX)
    assert.deepInclude(ids[0], { streamId: 999 })
  })

  it("keeps what is not there as it is", () => {
    const gone = { directory: "/d", problem: "gone" }
    assert.deepStrictEqual(WebSample.of({ timeMs: 1, driver: gone, store: null }), {
      timeMs: 1,
      driver: gone,
      store: null
    })
  })
})
