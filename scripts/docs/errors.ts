/**
 * Writes `docs/errors.md` from the reasons of the typed errors: what their docstrings say, and what their messages say,
 * with the names of fields in the place of values.
 *
 *     node scripts/docs/errors.ts           writes the page
 *     node scripts/docs/errors.ts --check   fails when the page in the tree is not what would be written
 */
import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Page from "./Page.ts"

const ROOT = dirname(dirname(import.meta.dirname))

const PACKAGES = [
  { name: "core", error: "CoreError" },
  { name: "transport", error: "TransportError" },
  { name: "store", error: "StoreError" }
] as const

/** A docstring, the class behind it, and everything up to the end of the class. */
const REASON = /\/\*\*\n((?: \*.*\n)+?) \*\/\nexport class (\w+) extends Schema\.TaggedError[^]*?\n\}\n/g

interface Reason {
  readonly name: string
  readonly meaning: string
  readonly retry: string
  readonly message: string
}

const meaningOf = (docstring: string): string =>
  docstring
    .replaceAll(/^ \* ?/gm, "")
    .split(/\n(?:@|\*\*)/)[0]!
    .replaceAll(/\s+/g, " ")
    .trim()

/** The literals of a message, put together as the code does; what it chooses between is set apart by a slash. */
const templateOf = (getter: string): string => {
  const body = getter.slice(getter.indexOf("return") + "return".length)
  let text = ""
  let end = 0
  for (const match of body.matchAll(/(?<!=== )(?:`([^`]*)`|"([^"]*)"|\bthis\.detail\b)/g)) {
    const isContinued = text === "" || body.slice(end, match.index).trim() === "+"
    text += `${isContinued ? "" : " / "}${match[1] ?? match[2] ?? "‹detail›"}`
    end = match.index + match[0].length
  }
  return text
    .replaceAll(/\$\{[^}]*?this\.(\w+)[^}]*\}/g, "‹$1›")
    .replaceAll(/\$\{(\w+)\}/g, "‹$1›")
    .replaceAll(/\$\{[^}]*\}/g, "…")
}

const retryOf = (text: string): string => {
  if (/get isRetryable/.test(text)) {
    return "Whether trying again may help is in its `isRetryable`."
  }
  return `Trying again ${/isRetryable = true/.test(text) ? "may help" : "gives the same"}.`
}

const reasonsOf = (source: string): ReadonlyArray<Reason> =>
  [...source.matchAll(REASON)].map(([text, docstring = "", name = ""]) => ({
    name,
    meaning: meaningOf(docstring),
    retry: retryOf(text),
    message: templateOf(/get message\(\)[^]*?\n  \}\n/.exec(text)?.[0] ?? "")
  }))

const section = ({ error, name }: (typeof PACKAGES)[number]): ReadonlyArray<string> => {
  const reasons = globSync(`packages/${name}/src/**/*.ts`, { cwd: ROOT })
    .map((path) => readFileSync(join(ROOT, path), "utf8"))
    .filter((source) => source.includes("extends Schema.TaggedError"))
    .flatMap(reasonsOf)
    // The error itself has a reason, and says what that says.
    .filter((reason) => reason.name !== error)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return [
    `## ${error}`,
    "",
    ...reasons.flatMap(({ meaning, message, name: reason, retry }) => [
      `### ${reason}`,
      "",
      meaning,
      "",
      `- It says: ${message === "" ? "what its `error` says" : message}`,
      `- ${retry}`,
      ""
    ])
  ]
}

const page = [
  "<!-- Written by `pnpm docs` from the reasons themselves. -->",
  "",
  "# Errors",
  "",
  "Each package has one tagged error, whose `reason` says what failed. Match a reason with",
  '`Effect.catchReason("StoreError", "OutOfSpace", …)`, or take them apart with `Effect.unwrapReason("StoreError")`. A message says what failed, the',
  "value seen, the limit, and what to do; names of fields stand here for values.",
  "",
  ...PACKAGES.flatMap(section)
]

Page.write("docs/errors.md", page.join("\n"))
