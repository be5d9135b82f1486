import assert from "node:assert/strict"
import { describe, it } from "vitest"
import { addressOf, placeOf } from "../../../docs/.vitepress/pages.ts"

describe("pages of the site", () => {
  it("stand where readers look for them", () => {
    const places = ["README.md", "docs/guides/sockets.md", "packages/core/README.md", "packages/core/CHANGELOG.md"]
    assert.deepEqual(places.map(placeOf), ["overview.md", "guides/sockets.md", "packages/core.md", "changes/core.md"])
  })

  it("are linked from the place of their source", () => {
    assert.equal(addressOf("docs/guides/sockets.md", "../differences.md#aeron"), "/differences.md#aeron")
    assert.equal(addressOf("packages/store/README.md", "../../docs/formats.md"), "/formats.md")
    assert.equal(addressOf("docs/differences.md", "../README.md"), "/overview.md")
  })

  it("do not link what is no page", () => {
    assert.equal(addressOf("docs/start.md", "../examples/first-line.ts"), undefined)
    assert.equal(addressOf("CONTRIBUTING.md", ".changeset/README.md"), undefined)
  })
})
