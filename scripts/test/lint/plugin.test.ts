import { join } from "node:path"
import { RuleTester } from "oxlint/plugins-dev"
import { describe, it } from "vitest"
import plugin from "../../lint/plugin.ts"

RuleTester.describe = describe
RuleTester.it = it

const ROOT = join(import.meta.dirname, "../../..")
const AREA = join(ROOT, "packages/core/src/logbuffer/TermReader.ts")
const GLUE = join(ROOT, "packages/core/src/internal/systemClock.ts")
const PUBLIC = join(ROOT, "packages/core/src/Region.ts")
const TEST = join(ROOT, "packages/core/test/logbuffer/TermReader.test.ts")

const tester = new RuleTester({ cwd: ROOT, languageOptions: { sourceType: "module", parserOptions: { lang: "ts" } } })

tester.run("storeys", plugin.rules.storeys, {
  valid: [
    { name: "an area importing an area", filename: AREA, code: `import { assert } from "../memory/Assert.ts"` },
    { name: "a type of native", filename: AREA, code: `import type { A } from "../native/Errno.ts"` },
    { name: "an inline type of native", filename: AREA, code: `import { type A } from "../native/Errno.ts"` },
    { name: "glue importing Effect", filename: GLUE, code: `import * as Effect from "effect/Effect"` }
  ],
  invalid: [
    { name: "import", filename: AREA, code: `import * as Effect from "effect/Effect"`, errors: [/other kernels only/] },
    {
      name: "type import",
      filename: AREA,
      code: `import type { Effect } from "effect"`,
      errors: [/other kernels only/]
    },
    {
      name: "value of native",
      filename: AREA,
      code: `import { type A, b } from "../native/Errno.ts"`,
      errors: [/adapter/]
    },
    { name: "side effect", filename: AREA, code: `import "node:fs"`, errors: [/port that is passed in/] },
    { name: "export from", filename: AREA, code: `export { a } from "node:fs"`, errors: [/port that is passed in/] },
    { name: "export all", filename: AREA, code: `export * from "node:fs"`, errors: [/port that is passed in/] },
    { name: "dynamic import", filename: AREA, code: `const a = import("node:fs")`, errors: [/port that is passed in/] },
    {
      name: "import in a type",
      filename: AREA,
      code: `type A = import("effect").Effect`,
      errors: [/other kernels only/]
    },
    { name: "require", filename: GLUE, code: `const a = require("koffi")`, errors: [/core\/native alone/] },
    {
      name: "a require made on the spot",
      filename: GLUE,
      code: `const a = createRequire(import.meta.url)("koffi")`,
      errors: [/core\/native alone/]
    },
    { name: "koffi in glue", filename: GLUE, code: `import koffi from "koffi"`, errors: [/core\/native alone/] }
  ]
})

tester.run("no-ambient-world", plugin.rules["no-ambient-world"], {
  valid: [
    { name: "a given clock", filename: AREA, code: `export const f = (clock: Clock) => clock.nanoTime()` },
    { name: "a given time", filename: AREA, code: `export const f = (ms: number) => new Date(ms)` },
    { name: "arithmetic", filename: AREA, code: `export const a = Math.max(1, 2)` },
    { name: "the architecture", filename: AREA, code: `export const isX64 = process.arch === "x64"` },
    { name: "a parameter of the same name", filename: AREA, code: `export const f = (crypto: Port) => crypto.next()` },
    { name: "a method of the same name", filename: AREA, code: `export const f = (port: Port) => port.setTimeout(1)` },
    { name: "the clock in glue", filename: GLUE, code: `export const now = () => Date.now()` },
    { name: "the clock in a test", filename: TEST, code: `const now = performance.now()` }
  ],
  invalid: [
    { name: "Date.now", filename: AREA, code: `const a = Date.now()`, errors: [/Date\.now/] },
    { name: "new Date", filename: AREA, code: `const a = new Date()`, errors: [/clock of Date/] },
    { name: "Date as a function", filename: AREA, code: `const a = Date()`, errors: [/clock of Date/] },
    { name: "performance.now", filename: AREA, code: `const a = performance.now()`, errors: [/performance\.now/] },
    { name: "process.hrtime", filename: AREA, code: `const a = process.hrtime.bigint()`, errors: [/process\.hrtime/] },
    { name: "the environment", filename: AREA, code: `const a = process.env`, errors: [/process\.env/] },
    { name: "Math.random", filename: AREA, code: `const a = Math.random()`, errors: [/Math\.random/] },
    { name: "crypto", filename: AREA, code: `const a = crypto.randomUUID()`, errors: [/crypto\.randomUUID/] },
    { name: "through globalThis", filename: AREA, code: `const a = globalThis.Date`, errors: [/globalThis\.Date/] },
    { name: "a computed member", filename: AREA, code: `const a = Math["random"]()`, errors: [/Math\.random/] },
    { name: "process handed on", filename: AREA, code: `export const p = process`, errors: [/process/] },
    { name: "setTimeout", filename: AREA, code: `setTimeout(() => {}, 1)`, errors: [/setTimeout/] },
    { name: "queueMicrotask as a value", filename: AREA, code: `const a = queueMicrotask`, errors: [/queueMicrotask/] },
    { name: "console", filename: AREA, code: `console.log(1)`, errors: [/console\.log/] }
  ]
})

tester.run("no-barrels", plugin.rules["no-barrels"], {
  valid: [
    { name: "a module", filename: PUBLIC, code: `import * as Effect from "effect/Effect"` },
    { name: "a barrel in a test", filename: TEST, code: `import { Effect } from "effect"` }
  ],
  invalid: [
    {
      name: "values and types of effect",
      filename: PUBLIC,
      code: `import { Effect, type Scope, pipe } from "effect"`,
      output: [
        `import * as Effect from "effect/Effect"`,
        `import type * as Scope from "effect/Scope"`,
        `import { pipe } from "effect/Function"`
      ].join("\n"),
      errors: [/barrel/]
    },
    {
      name: "a renamed module of a type import",
      filename: PUBLIC,
      code: `import type { Stream as S } from "effect"`,
      output: `import type * as S from "effect/Stream"`,
      errors: [/barrel/]
    },
    { name: "a namespace", filename: PUBLIC, code: `import * as E from "effect"`, errors: [/barrel/] },
    { name: "an index file", filename: TEST, code: `import { a } from "../src/index.ts"`, errors: [/index file/] }
  ]
})

const DOCUMENTED = `/**\n * What it is.\n *\n * @category models\n * @since 0.1.0\n */\n`

tester.run("documented-exports", plugin.rules["documented-exports"], {
  valid: [
    { name: "a documented constant", filename: PUBLIC, code: `${DOCUMENTED}export const a = 1` },
    {
      name: "overloads documented once",
      filename: PUBLIC,
      code: `${DOCUMENTED}export function f(a: string): void\nexport function f(a: number): void\nexport function f() {}`
    },
    { name: "a list", filename: PUBLIC, code: `export type { ${DOCUMENTED}A, ${DOCUMENTED}B } from "./A.ts"` },
    { name: "the barrel", filename: join(ROOT, "packages/core/src/index.ts"), code: `export * as A from "./A.ts"` },
    { name: "a private declaration", filename: PUBLIC, code: `const a = 1` },
    { name: "an area", filename: AREA, code: `export const a = 1` }
  ],
  invalid: [
    { name: "no comment", filename: PUBLIC, code: `export const a = 1`, errors: [/a has no docstring/] },
    { name: "a plain comment", filename: PUBLIC, code: `// a\nexport class A {}`, errors: [/A has no docstring/] },
    {
      name: "a re-export",
      filename: PUBLIC,
      code: `export { a, b as c } from "./B.ts"`,
      errors: [/a has/, /c has/]
    },
    {
      name: "a second declaration",
      filename: PUBLIC,
      code: `${DOCUMENTED}export type A = 1\nexport const A = 1`,
      errors: 1
    },
    {
      name: "no @since",
      filename: PUBLIC,
      code: `/** A. @category models */\nexport type A = 1`,
      errors: [/no @since/]
    },
    {
      name: "no @category",
      filename: PUBLIC,
      code: `/** A. @since 0.1.0 */\nexport type A = 1`,
      errors: [/no @category/]
    },
    {
      name: "tags alone",
      filename: PUBLIC,
      code: `/**\n * @category models\n * @since 0.1.0\n */\nexport type A = 1`,
      errors: [/says nothing before its tags/]
    }
  ]
})
