/**
 * Names the file that a worker or a child process starts from.
 *
 * In a clone the sources run as they are (`.ts`), in a published package their built form does (`.js`), and the
 * extension of the asking module tells which of the two it is. Every worker and child of these packages is found by
 * this one function, so that the packed form needs testing in one place.
 *
 * @since 0.1.0
 */

/**
 * Resolves an entry file beside the calling module.
 *
 * **Details**
 *
 * `name` is relative to the module whose `import.meta.url` is given, and has no extension.
 *
 * **Example** (Starting a worker beside a module)
 *
 * ```ts
 * import * as EntryFile from "@millrace/core/EntryFile"
 *
 * EntryFile.resolve("file:///app/src/internal/driverLayer.ts", "./driverWorker").pathname
 * // => "/app/src/internal/driverWorker.ts"
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const resolve = (importMetaUrl: string, name: string): URL => {
  const extension = importMetaUrl.endsWith(".ts") ? ".ts" : ".js"
  return new URL(name + extension, importMetaUrl)
}
