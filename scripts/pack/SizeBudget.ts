/**
 * What a program pays for the modules of core that it imports: bundled, minified and gzipped, without what it has anyway
 * (`effect`, koffi, Node's own modules).
 */
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"
import { readSources } from "../tidy/ExportsMap.ts"
import type { Finding } from "../tidy/Finding.ts"

/** Bytes of one module with all that it needs, such as `@millrace/core/LogBuffer`. */
const MODULE_LENGTH_MAX = 20_400

/** Bytes of all modules together, for who imports the package by its name and uses everything. */
const PACKAGE_LENGTH_MAX = 42_700

const EXTERNAL = [/^node:/, /^effect(\/|$)/, /^koffi$/]

export const check = async (root: string): Promise<ReadonlyArray<Finding>> => {
  const folder = join(root, "packages/core")
  const modules = await Promise.all(readSources(folder).modules.map((name) => measure(folder, name, MODULE_LENGTH_MAX)))
  const whole = await measure(folder, "index", PACKAGE_LENGTH_MAX)
  const largest = modules.toSorted((a, b) => b.length - a.length)[0]!
  console.log(`size of core, gzipped: ${whole.length} bytes, its largest module ${largest.length} (${largest.name})`)
  return [...modules, whole]
    .filter(({ length, lengthMax }) => length > lengthMax)
    .map(({ length, lengthMax, name }) => ({
      path: `packages/core/src/${name}.ts`,
      message: `is ${length} bytes gzipped with what it needs, ${lengthMax} are allowed`
    }))
}

interface Size {
  readonly name: string
  readonly length: number
  readonly lengthMax: number
}

const measure = async (folder: string, name: string, lengthMax: number): Promise<Size> => {
  const bundle = await rolldown({ input: join(folder, "src", `${name}.ts`), external: EXTERNAL, platform: "node" })
  const { output } = await bundle.generate({ minify: true })
  await bundle.close()
  return { name, length: output.reduce((sum, chunk) => sum + gzipSync(contentOf(chunk)).length, 0), lengthMax }
}

const contentOf = (file: { readonly code: string } | { readonly source: string | Uint8Array }) =>
  "code" in file ? file.code : file.source
