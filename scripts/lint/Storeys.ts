/**
 * Which room of the house a file stands in, and which rooms it may import from.
 *
 *     packages/<package>/src/X.ts            public    Effect, every storey below
 *     packages/<package>/src/internal/x.ts   glue      Effect, node: I/O, every storey
 *     packages/<package>/src/<area>/X.ts     area      other areas only; the world through ports
 *     packages/core/src/native/X.ts          native    koffi, node: I/O, areas
 *     packages/cli/src/**                    program   the one package that sees transport and store
 *
 * Everything else (tests, benchmarks, examples, scripts) is outside: it may use what is published.
 */
import { isBuiltin } from "node:module"
import { posix } from "node:path"

export type Storey = "public" | "glue" | "area" | "native" | "program" | "outside"

export interface Room {
  readonly package: string
  readonly storey: Storey
  /** The folder under `src`, and the file's name without `.ts`. */
  readonly area: string
  readonly file: string
}

/** Packages that have kernels. Every other package with a `src` is a program over them. */
const LIBRARIES: ReadonlySet<string> = new Set(["core", "transport", "store"])

/** Not published, and run the kernels of others themselves: they reach into them by path. */
const INSIDERS: ReadonlySet<string> = new Set(["packages/simulator/"])

/** Area files named for compression and checksums, where `node:zlib` computes on bytes it is given. */
const ZLIB_FILE = /^(Checksum|Crc32|Compression|\w+Compression|Compressor|\w+Compressor)$/

/** Modules of Node that only compute, which public modules may use. */
const PURE_BUILTINS: ReadonlySet<string> = new Set(["assert", "buffer", "path", "url", "util", "zlib"])

/** `path` is relative to the repository's root, with forward slashes. */
export const roomOf = (path: string): Room => {
  const match = /^packages\/([^/]+)\/src\/(?:(.+)\/)?([^/]+)\.ts$/.exec(path)
  const [, packageName = "", folder = "", file = ""] = match ?? []
  const area = folder.split("/")[0]!
  return { package: packageName, storey: storeyOf(packageName, area), area, file }
}

const storeyOf = (packageName: string, area: string): Storey => {
  if (packageName === "" || packageName === "benchmarks") {
    return "outside"
  }
  if (!LIBRARIES.has(packageName)) {
    return "program"
  }
  if (area === "") {
    return "public"
  }
  if (area === "internal") {
    return "glue"
  }
  return packageName === "core" && area === "native" ? "native" : "area"
}

/**
 * Why the file at `from` may not import `specifier`, or `undefined` when it may. `typeOnly` imports leave nothing in
 * the compiled file; they may name the types of `native`, and nothing else that a value import may not.
 */
export const judgeImport = (from: string, specifier: string, typeOnly: boolean): string | undefined => {
  const importer = roomOf(from)
  const packageOfFile = /^packages\/([^/]+)\//.exec(from)?.[1] ?? ""
  if (specifier === "koffi") {
    return isNative(from) ? undefined : "koffi is loaded in core/native alone: take a port, or a module of native"
  }
  if (isBuiltin(specifier)) {
    return judgeBuiltin(importer, specifier)
  }
  const sibling = siblingOf(packageOfFile)
  if (sibling !== undefined && isWithin(specifier, `@millrace/${sibling}`)) {
    return `${packageOfFile} never imports ${sibling}: they meet where users compose them`
  }
  if (specifier.startsWith(".")) {
    return judgeRelative(importer, from, specifier, typeOnly)
  }
  return judgePackage(importer, specifier, typeOnly)
}

const isNative = (path: string): boolean => /^packages\/core\/(src|test)\/native\//.test(path)

const isWithin = (specifier: string, packageName: string): boolean =>
  specifier === packageName || specifier.startsWith(`${packageName}/`)

const siblingOf = (packageName: string): string | undefined =>
  packageName === "transport" ? "store" : packageName === "store" ? "transport" : undefined

const judgeBuiltin = (importer: Room, specifier: string): string | undefined => {
  const name = specifier.replace(/^node:/, "").split("/")[0]!
  if (importer.storey === "area" && !(name === "zlib" && ZLIB_FILE.test(importer.file))) {
    return `an area file does not import ${specifier}: the world comes through a port that is passed in`
  }
  if (importer.storey === "public" && !PURE_BUILTINS.has(name)) {
    return `a public module does not import ${specifier}: node: I/O lives in internal/ and core/native`
  }
  return undefined
}

const judgeRelative = (importer: Room, from: string, specifier: string, typeOnly: boolean): string | undefined => {
  const target = posix.join(posix.dirname(from), specifier)
  const packageFolder = /^packages\/[^/]+\//.exec(from)?.[0]
  if (packageFolder !== undefined && !target.startsWith(packageFolder)) {
    if (INSIDERS.has(packageFolder)) {
      return undefined
    }
    return `${specifier} reaches out of its package: import it by the package's name`
  }
  const room = roomOf(target)
  if (room.storey === "outside") {
    return importer.storey === "outside" ? undefined : `${specifier} is not a source file of this package`
  }
  return judgeRoom(importer, room, specifier, typeOnly)
}

const judgeRoom = (importer: Room, room: Room, specifier: string, typeOnly: boolean): string | undefined => {
  if (importer.storey !== "area" && importer.storey !== "native") {
    return undefined
  }
  if (room.storey === "native" && importer.storey === "area" && !typeOnly) {
    return `an area file does not import ${specifier}: native is a port's adapter, and only its types may be named here`
  }
  if (room.storey === "public" || room.storey === "glue") {
    return `a kernel does not import ${specifier}: ${room.storey === "glue" ? "internal/" : "public modules"} stand above it`
  }
  return undefined
}

const judgePackage = (importer: Room, specifier: string, typeOnly: boolean): string | undefined => {
  if (importer.storey !== "area" && importer.storey !== "native") {
    return undefined
  }
  const area = /^@millrace\/core\/kernel\/([^/]+)\//.exec(specifier)?.[1]
  if (area !== undefined && (area !== "native" || typeOnly || importer.storey === "native")) {
    return undefined
  }
  if (area === "native") {
    return `an area file does not import ${specifier}: native is a port's adapter, and only its types may be named here`
  }
  return `a kernel does not import ${specifier}: it uses other kernels only`
}

/**
 * Why `specifier` is a barrel, or `undefined`. Loading `effect` whole takes 230 ms here and `effect/Effect` 57 ms, which
 * every worker and every forked process pays; so library source imports modules, not barrels.
 */
export const judgeBarrel = (from: string, specifier: string): string | undefined => {
  if (specifier.startsWith(".")) {
    return /(^|\/)index\.[cm]?[jt]s$/.test(specifier) ? "import the module itself, not an index file" : undefined
  }
  const { storey } = roomOf(from)
  if (storey === "outside") {
    return undefined
  }
  return /^(effect(\/[a-z][\w-]*)?|@effect\/[\w-]+|@millrace\/\w+)$/.test(specifier)
    ? `${specifier} is a barrel: import its modules by name (\`import * as Effect from "effect/Effect"\`)`
    : undefined
}
