import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, describe, it } from "vitest"
import { checkImports, checkPrograms } from "../../pack/Consumer.ts"
import { node } from "../../pack/Run.ts"
import * as Tarball from "../../pack/Tarball.ts"

const ROOT = join(import.meta.dirname, "../../..")
const folder = mkdtempSync(join(tmpdir(), "millrace-pack-test-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const HEALTHY: Readonly<Record<string, string>> = {
  "README.md": "# sample\n",
  LICENSE: "MIT\n",
  "src/Sample.ts": "export const sample = 1\n",
  "dist/Sample.js": "export const sample = 1\n",
  "dist/Sample.d.ts": "export declare const sample = 1\n",
  "src/area/Kernel.ts": "export const kernel = 1\n",
  "dist/area/Kernel.js": "export const kernel = 1\n",
  "dist/area/Kernel.d.ts": "export declare const kernel = 1\n"
}

const MANIFEST = {
  name: "sample",
  version: "1.0.0",
  type: "module",
  license: "MIT",
  files: ["src", "dist"],
  exports: {
    "./package.json": "./package.json",
    "./Sample": { types: "./dist/Sample.d.ts", default: "./dist/Sample.js" },
    "./kernel/area/*": { types: "./dist/area/*.d.ts", default: "./dist/area/*.js" }
  }
}

let count = 0

/** Packs a package as a tarball, and lays it out as installed under `node_modules` beside it. */
const pack = (files: Readonly<Record<string, string>>, manifest: object = MANIFEST) => {
  count += 1
  const home = join(folder, String(count))
  const contents = { ...files, "package.json": JSON.stringify(manifest) }
  for (const [path, text] of Object.entries(contents)) {
    mkdirSync(dirname(join(home, "package", path)), { recursive: true })
    writeFileSync(join(home, "package", path), text)
  }
  const path = join(home, "sample-1.0.0.tgz")
  assert.equal(spawnSync("tar", ["-czf", path, "-C", home, "package"]).status, 0)
  cpSync(join(home, "package"), join(home, "node_modules/sample"), { recursive: true })
  cpSync(join(ROOT, "scripts/pack/consumer/imports.ts"), join(home, "imports.ts"))
  writeFileSync(join(home, "package.json"), `{"type":"module"}`)
  return { home, tarball: Tarball.read(path) }
}

const without = (...paths: ReadonlyArray<string>) =>
  Object.fromEntries(Object.entries(HEALTHY).filter(([path]) => !paths.includes(path)))

const messages = (findings: ReadonlyArray<{ readonly message: string }>) =>
  findings.map((finding) => finding.message).join("\n")

describe("pack", () => {
  it("names every entry, each file of a pattern included", () => {
    assert.deepEqual(Tarball.entries(pack(HEALTHY).tarball), ["./Sample", "./kernel/area/Kernel"])
  })

  it("finds nothing wrong with a healthy package", () => {
    const { home, tarball } = pack(HEALTHY)
    assert.equal(messages(Tarball.checkContents(tarball)), "")
    assert.equal(messages(Tarball.checkEntries(ROOT, tarball)), "")
    assert.equal(messages(checkImports(home, [tarball])), "")
  })

  it("reports an entry whose file is missing", () => {
    const { home, tarball } = pack(without("dist/Sample.js", "dist/Sample.d.ts"))
    assert.match(messages(Tarball.checkEntries(ROOT, tarball)), /dist\/Sample\.js but the file does not exist/)
    assert.match(messages(Tarball.checkEntries(ROOT, tarball)), /"sample\/Sample"\n\n.*Resolution failed/)
    assert.match(messages(checkImports(home, [tarball])), /sample\/Sample cannot be imported/)
  })

  it("reports an entry without types", () => {
    const { tarball } = pack(without("dist/area/Kernel.d.ts"))
    assert.match(messages(Tarball.checkEntries(ROOT, tarball)), /"sample\/kernel\/area\/Kernel"/)
    assert.match(messages(Tarball.checkContents(tarball)), /no dist\/area\/Kernel\.js with its types/)
  })

  it("reports an entry that imports a file which was not packed", () => {
    const { home, tarball } = pack({ ...HEALTHY, "dist/Sample.js": `import "./internal/worker.js"\n` })
    assert.match(messages(checkImports(home, [tarball])), /sample\/Sample cannot be imported.*internal\/worker\.js/)
  })

  it("reports an entry that throws while it is loaded", () => {
    const { home, tarball } = pack({ ...HEALTHY, "dist/area/Kernel.js": `throw new Error("no such library")\n` })
    assert.match(messages(checkImports(home, [tarball])), /kernel\/area\/Kernel cannot be imported: no such library/)
  })

  it("reports missing documents, files of our own, and built files without a source", () => {
    const { tarball } = pack({
      ...without("README.md"),
      "dist/.tsbuildinfo": "{}",
      "test/Sample.test.ts": "",
      "dist/Gone.js": ""
    })
    const found = messages(Tarball.checkContents(tarball))
    assert.match(found, /no README\.md/)
    assert.match(found, /dist\/\.tsbuildinfo, which is of no use/)
    assert.match(found, /test\/Sample\.test\.ts, which is of no use/)
    assert.match(found, /src\/Gone\.ts, which does not exist: dist is stale/)
  })

  it("reports a command without its file, and a dependency that only the workspace resolves", () => {
    const { tarball } = pack(HEALTHY, {
      ...MANIFEST,
      bin: { sample: "./dist/bin.js" },
      dependencies: { other: "workspace:^" }
    })
    const found = messages(Tarball.checkContents(tarball))
    assert.match(found, /command sample at \.\/dist\/bin\.js, which it does not hold/)
    assert.match(found, /only this workspace can resolve/)
  })

  it("reports a program that fails, and one that shows something else", () => {
    const { home } = pack(HEALTHY)
    writeFileSync(join(home, "fails.ts"), `process.exit(3)`)
    writeFileSync(join(home, "shows.ts"), `console.log("received 999 of 1000")`)
    const runtime = { version: process.version, command: node }
    const program = (name: string) => ({ title: name, args: [name], shows: /^received 1000 of 1000$/m })
    const found = checkPrograms(home, runtime, [program("fails.ts"), program("shows.ts")])
    assert.match(found[0]!.message, /ended with code 3/)
    assert.match(found[1]!.message, /ended with code 0\nreceived 999 of 1000/)
    assert.deepEqual(checkPrograms(home, runtime, [{ title: "", args: ["shows.ts"], shows: /999/ }]), [])
  })
})
