/** `pnpm site`: the whole site into `docs/.vitepress/dist`, with the API reference from the docstrings; fails on a dead link. */
import { spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { dirname, join } from "node:path"

const DOCS = join(dirname(dirname(import.meta.dirname)), "docs")

/** Written anew each time, so that no page of a module that is gone stays. */
const API = join(DOCS, "api")

const STEPS = [["node_modules/typedoc/bin/typedoc"], ["node_modules/vitepress/bin/vitepress.js", "build"]] as const

rmSync(API, { recursive: true, force: true })
for (const [script, ...args] of STEPS) {
  const { status } = spawnSync(process.execPath, [join(DOCS, script), ...args], { cwd: DOCS, stdio: "inherit" })
  if (status !== 0) {
    process.exitCode = status ?? 1
    break
  }
}
