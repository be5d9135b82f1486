import assert from "node:assert/strict"
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, describe, it } from "vitest"
import { format } from "../../tidy/Finding.ts"
import * as Tools from "../../tidy/Tools.ts"

const ROOT = join(import.meta.dirname, "../../..")
const folder = mkdtempSync(join(tmpdir(), "millrace-tidy-test-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const DOCUMENTED = `/**\n * It.\n *\n * @category models\n * @since 0.1.0\n */\n`
const lines = (count: number) => "  g()\n".repeat(count)

/** A workspace in miniature with the real configuration, and something wrong in it. */
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

write("package.json", `{ "name": "w", "private": true, "type": "module" }`)
write("pnpm-workspace.yaml", "packages:\n  - packages/*\n")
write("tsconfig.json", `{ "compilerOptions": { "module": "nodenext", "allowImportingTsExtensions": true } }`)
write(
  "packages/core/package.json",
  `{ "name": "@millrace/core", "type": "module", "exports": { "./Good": "./src/Good.ts", "./kernel/area/*": "./src/area/*.ts" } }`
)
write("packages/core/src/Good.ts", `import { a } from "./area/A.ts"\n\n${DOCUMENTED}export const good = a\n`)
write("packages/core/src/Bare.ts", `export const bare = 1\n`)
write("packages/core/src/area/A.ts", `import { b } from "./B.ts"\nexport const a = () => b\n`)
write("packages/core/src/area/B.ts", `import { a } from "./A.ts"\nexport const b = () => a\nexport const dead = 1\n`)
write("packages/core/src/area/Alone.ts", `export const alone = 1\n`)
write("packages/core/src/area/Long.ts", `const g = () => {}\n${"g()\n".repeat(400)}`)
write("packages/core/src/area/Short.ts", `const g = () => {}\n${"g()\n\n// why\n".repeat(390)}`)
write("packages/core/src/area/Deep.ts", `const g = () => {}\nexport const f = () => {\n${lines(69)}}\n`)
write("packages/core/src/area/Flat.ts", `const g = () => {}\nexport const f = () => {\n${lines(68)}}\n`)
write(
  "packages/core/src/area/TypesA.ts",
  `import type { TypesB } from "./TypesB.ts"\nexport type TypesA = TypesB | 1\n`
)
write("packages/core/src/area/TypesB.ts", `import type { TypesA } from "./TypesA.ts"\nexport type TypesB = [TypesA]\n`)
write("packages/core/src/internal/gone.ts", `export const gone = 1\n`)
write("scripts/Empty.ts", "")
write("examples/Empty.ts", "")
cpSync(join(ROOT, "scripts/tidy"), join(folder, "scripts/tidy"), { recursive: true })
cpSync(join(ROOT, "scripts/lint"), join(folder, "scripts/lint"), { recursive: true })
cpSync(join(ROOT, "knip.json"), join(folder, "knip.json"))
symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"), "dir")

const inCore = (findings: ReturnType<typeof Tools.oxlint>) =>
  findings.map(format).filter((text) => text.startsWith("packages/core/src/"))

describe("Tools", () => {
  it("finds long files, long functions, cycles of values and exports without a docstring", () => {
    const found = inCore(Tools.oxlint(folder))
    const about = (name: string) => found.filter((text) => text.includes(`/${name}.ts`)).join("\n")
    assert.match(about("Long"), /too many lines \(401\)/)
    assert.match(about("Deep"), /too many lines \(71\)/)
    assert.match(about("A"), /cycle/)
    assert.match(about("Bare"), /bare has no docstring/)
    for (const name of ["Good", "Short", "Flat", "TypesA"]) {
      assert.equal(about(name), "", name)
    }
  })

  it("finds exports of kernels that nothing imports, and spares public modules", () => {
    const found = inCore(Tools.knip(folder))
    const about = (name: string) => found.filter((text) => text.includes(`/${name}.ts`)).join("\n")
    assert.match(about("B"), /B\.ts:3 {2}exports dead, which nothing imports/)
    assert.match(about("Alone"), /exports alone, which nothing imports/)
    assert.match(about("gone"), /not reached/)
    assert.equal(about("Good"), "")
    assert.equal(about("Bare"), "")
    assert.doesNotMatch(about("A"), /exports a,/)
  })
})
