/**
 * Under which licences everything comes that an installation of the packages brings, against `docs/licences.md`, so that
 * a new dependency of a dependency is seen by those who must allow it.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Finding } from "../tidy/Finding.ts"
import { pnpm, runOrThrow } from "./Run.ts"

/** None of them asks more of a program than to keep the notice. */
const ALLOWED = ["MIT", "ISC", "0BSD", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "BlueOak-1.0.0"]

/** Binaries for one platform come under the licence of the package that chooses among them. */
const OF_ONE_PLATFORM = /-(linux|darwin|win32|freebsd|openbsd|android)-/

const PAGE = "docs/licences.md"

type Listing = Readonly<Record<string, ReadonlyArray<{ readonly name: string }>>>

export const check = (root: string, consumer: string): ReadonlyArray<Finding> => {
  const listing: Listing = JSON.parse(runOrThrow(pnpm(), ["licenses", "list", "--prod", "--json"], { cwd: consumer }))
  const page = join(root, PAGE)
  const text = pageOf(listing)
  if (existsSync(page) && readFileSync(page, "utf8") === text) {
    return refused(listing)
  }
  writeFileSync(page, text)
  return [...refused(listing), { path: PAGE, message: "was not what is installed; it has been written anew: read it" }]
}

const refused = (listing: Listing): ReadonlyArray<Finding> =>
  Object.entries(listing)
    .filter(([licence]) => !ALLOWED.includes(licence))
    .flatMap(([licence, packages]) =>
      packages.map(({ name }) => ({ path: name, message: `comes under ${licence}; allowed are ${ALLOWED.join(", ")}` }))
    )

const pageOf = (listing: Listing): string => {
  const rows = Object.entries(listing)
    .flatMap(([licence, packages]) => packages.map(({ name }) => ({ name, licence })))
    .filter(({ name }) => !name.startsWith("@millrace/") && name !== "millrace" && !OF_ONE_PLATFORM.test(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return [
    "# Licences of what is installed",
    "",
    "Millrace is under the MIT licence. This is everything that an installation of its four packages brings, with `effect`,",
    "the one peer dependency, and `@effect/platform-node`, which programs on Node use with it. Written by `pnpm run pack`, which",
    "fails when it is not true any more.",
    "",
    "| package | licence |",
    "| --- | --- |",
    ...rows.map(({ licence, name }) => `| \`${name}\` | ${licence} |`),
    ""
  ].join("\n")
}
