/**
 * Commands of a page that are not typed where the others are, since they need a clone, a registry or the machine's own
 * settings. Each line is held by something: a gate that runs it, a short form of it that runs here, or what it names.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Fences from "./Fences.ts"

/** What holds a line: nothing more has to be done, a program has to run, or it is wrong. */
export type Hold =
  | { readonly _tag: "Held"; readonly by: string }
  | { readonly _tag: "Runs"; readonly args: ReadonlyArray<string> }
  | { readonly _tag: "Nothing"; readonly problem: string }

export interface ConsoleLine {
  readonly text: string
  /** Counted from 1. */
  readonly line: number
}

export interface Clone {
  readonly root: string
  readonly scripts: Readonly<Record<string, string>>
  /** The text of `.ci/run`. */
  readonly ci: string
}

export const readClone = (root: string): Clone => ({
  root,
  scripts: JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts,
  ci: readFileSync(join(root, ".ci/run"), "utf8")
})

/** Without the comments behind them. */
export const find = (markdown: string): ReadonlyArray<ConsoleLine> =>
  Fences.ofKind(markdown, "console").flatMap(({ code, line: first }) =>
    code
      .split("\n")
      .map((text, index) => ({ text: text.replace(/(^|\s)#.*$/, "").trim(), line: first + index }))
      .filter(({ text }) => text !== "")
  )

/** A script of the package, in its longer form or with programs that a user has where that is said. */
const COMMAND = /^(?:BENCH_LARGE=1 |AERONMD=\S+ |AERON_SOURCE=\S+ )?(?:npx -y pnpm@12|pnpm)((?: \S+)*)$/

const held = (by: string): Hold => ({ _tag: "Held", by })
const nothing = (problem: string): Hold => ({ _tag: "Nothing", problem })

/** `pnpm run pack` types these in an empty folder, with the packed packages. */
export const isInstallation = (text: string): boolean =>
  /^(npm init -y$|npm pkg set type=module$|npm install |npx millrace |node [\w-]+\.ts$)/.test(text)

export const holdOf = (text: string, clone: Clone): Hold => {
  if (isInstallation(text)) {
    const [, example] = /^node (.+)$/.exec(text) ?? []
    return example === undefined || existsSync(join(clone.root, "examples", example))
      ? held("pack")
      : nothing(`examples/ has no ${example}`)
  }
  if (text === "bash .ci/run") {
    return held("itself")
  }
  if (text.startsWith("sysctl -w ")) {
    return holdOfSettings(text.split(" ").slice(2))
  }
  const words = COMMAND.exec(text)?.[1]?.trim().split(" ")
  return words === undefined ? nothing("nothing runs it") : holdOfScript(words, clone)
}

/** Settings of the kernel are changed by no check; that there are such is seen. */
const holdOfSettings = (assignments: ReadonlyArray<string>): Hold => {
  const missing = assignments
    .map((assignment) => `/proc/sys/${assignment.split("=")[0]!.replaceAll(".", "/")}`)
    .filter((path) => existsSync("/proc/sys") && !existsSync(path))
  return missing.length === 0 ? held("/proc/sys") : nothing(`there is no ${missing.join(", ")}`)
}

const holdOfScript = (words: ReadonlyArray<string>, { ci, root, scripts }: Clone): Hold => {
  const [name = "", ...args] = words.filter((word) => word !== "run" && word !== "-s")
  const script = scripts[name]
  if (script === undefined) {
    return nothing(`package.json has no script ${name}`)
  }
  const missing = args.filter((arg) => /^(packages|interop|docs)\//.test(arg) && !existsSync(join(root, arg)))
  if (missing.length > 0) {
    return nothing(`there is no ${missing.join(", ")}`)
  }
  if (name === "interop" && !args.filter((arg) => !arg.startsWith("-")).every((arg) => isPart(root, arg))) {
    return nothing("interop has no such part")
  }
  if (new RegExp(`\\\${pnpm\\[@\\]}" (run )?${name}\\b`).test(ci)) {
    return held(`.ci/run, ${name}`)
  }
  // A long form runs as a short one.
  const [, file = "", own = ""] = /^node (\S+)(.*)$/.exec(script) ?? []
  const short = args.map((arg, index) => (args[index - 1] === "--count" ? "2" : arg))
  return file === ""
    ? nothing(`${name} is neither a gate nor a program`)
    : { _tag: "Runs", args: [join(root, file), ...own.trim().split(" ").filter(Boolean), ...short] }
}

const isPart = (root: string, name: string): boolean =>
  existsSync(join(root, "interop", name.split("/")[0]!, "interop.ts"))
