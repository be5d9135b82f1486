import { assert, describe, it } from "@effect/vitest"
import * as Access from "../../src/web/Access.ts"

const PORT = 7070

const asked = (fields: Partial<Access.Asked>): number | undefined =>
  Access.refusal({ method: "GET", host: `127.0.0.1:${PORT}`, origin: undefined, site: undefined, ...fields }, PORT)
    ?.status

describe("Access", () => {
  it("answers who asks this machine by a name of its loopback", () => {
    for (const host of [`127.0.0.1:${PORT}`, `localhost:${PORT}`, `LocalHost:${PORT}`, `[::1]:${PORT}`]) {
      assert.isUndefined(asked({ host }), host)
    }
    assert.isUndefined(Access.refusal({ method: "HEAD", host: "localhost", origin: undefined, site: undefined }, 80))
  })

  it("refuses every other name, which a stranger's page may have let point here", () => {
    for (const host of [
      `evil.example:${PORT}`,
      `127.0.0.1.evil.example:${PORT}`,
      `localhost.:${PORT}`,
      "localhost",
      `localhost:${PORT + 1}`,
      `localhost:${PORT}:1`,
      `user@localhost:${PORT}`,
      `0.0.0.0:${PORT}`,
      ""
    ]) {
      assert.strictEqual(asked({ host }), 421, host)
    }
    assert.strictEqual(asked({ host: undefined }), 400)
  })

  it("refuses what would change something", () => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get"]) {
      assert.strictEqual(asked({ method }), 405, method)
    }
  })

  it("refuses other pages, by their origin and by what the browser says of them", () => {
    assert.strictEqual(asked({ origin: "http://evil.example" }), 403)
    assert.strictEqual(asked({ origin: "null" }), 403)
    assert.strictEqual(asked({ origin: `https://localhost:${PORT}` }), 403)
    assert.strictEqual(asked({ site: "cross-site" }), 403)
    assert.strictEqual(asked({ site: "same-site" }), 403)
    assert.isUndefined(asked({ origin: `http://localhost:${PORT}`, site: "same-origin" }))
    assert.isUndefined(asked({ site: "none" }))
  })

  it("lets the page take nothing from elsewhere", () => {
    const policy = Access.HEADERS["content-security-policy"]!
    assert.match(policy, /^default-src 'none';/)
    assert.notInclude(policy, "unsafe")
    assert.notInclude(policy, "http")
  })
})
