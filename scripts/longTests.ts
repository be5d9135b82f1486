/**
 * `pnpm fuzz` and `pnpm stress`: the long form of the tests whose names end in `.fuzz.test.ts` and `.stress.test.ts`.
 * `pnpm test` runs them in their short form. They read how long to go on from the environment:
 *
 *     MILLRACE_SEED   where random input starts; printed, so that a finding can be replayed
 *     MILLRACE_COUNT  how many inputs to try, messages to pass, or processes to kill
 */
import { spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { globSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const COUNTS: Readonly<Record<string, number>> = { fuzz: 10_000_000, stress: 20_000_000 }

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: "string" }, count: { type: "string" } }
})
const [kind = "", ...paths] = positionals
const count = Number(values.count ?? COUNTS[kind])
const seed = Number(values.seed ?? randomInt(2 ** 31))
if (!Number.isSafeInteger(count) || !Number.isSafeInteger(seed)) {
  console.error("usage: longTests.ts fuzz|stress [--seed N] [--count N] [path…]")
  process.exit(2)
}

console.log(`${kind}: seed ${seed}, count ${count}`)
const root = dirname(import.meta.dirname)
const vitest = fileURLToPath(new URL("vitest.mjs", import.meta.resolve("vitest/package.json")))
const tests = globSync(`packages/*/test/**/*.${kind}.test.ts`, { cwd: root })
const chosen = paths.length === 0 ? tests : tests.filter((test) => paths.some((path) => test.startsWith(path)))
if (chosen.length === 0) {
  console.error(`no ${kind} test under ${paths.join(", ")}; there are:\n${tests.join("\n")}`)
  process.exit(2)
}
const child = spawn(process.execPath, [vitest, "run", "--testTimeout=0", ...chosen], {
  cwd: root,
  env: { ...process.env, MILLRACE_SEED: String(seed), MILLRACE_COUNT: String(count) },
  stdio: "inherit"
})
child.once("exit", (code) => {
  process.exitCode = code ?? 1
})
