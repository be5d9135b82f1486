/** The files of the page, which lie beside the sources and are read once. */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"

interface PageFile {
  readonly bytes: Uint8Array
  readonly contentType: string
}

const DIRECTORY = new URL("../../page/", import.meta.url)

const SCRIPT = "text/javascript; charset=utf-8"

/** Nothing else can be asked for, whatever a path says. */
const FILES: Readonly<Record<string, readonly [file: string, contentType: string]>> = {
  "/": ["index.html", "text/html; charset=utf-8"],
  "/page.css": ["page.css", "text/css; charset=utf-8"],
  "/page.js": ["page.js", SCRIPT],
  "/format.js": ["format.js", SCRIPT],
  "/figures.js": ["figures.js", SCRIPT],
  "/table.js": ["table.js", SCRIPT]
}

const kept = new Map<string, PageFile>()

/** Undefined where the page has no such file. */
export const read = (path: string): Effect.Effect<PageFile | undefined> =>
  Effect.sync(() => {
    const entry = Object.hasOwn(FILES, path) ? FILES[path] : undefined
    if (entry === undefined) {
      return undefined
    }
    const [file, contentType] = entry
    const known = kept.get(path) ?? { bytes: fs.readFileSync(new URL(file, DIRECTORY)), contentType }
    kept.set(path, known)
    return known
  })
