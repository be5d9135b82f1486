/**
 * How this command line was started, so that the commands we tell a user to type next work as printed.
 */
import * as path from "node:path"

interface Start {
  /** What pnpm, npm or npx calls the script that it runs. */
  readonly script: string | undefined
  /** The file that Node runs. */
  readonly file: string | undefined
}

/** In a clone the root script runs us; it is there under this name whatever started the present run. */
const ROOT_SCRIPT = "npx -y pnpm@12 -s millrace"
const ROOT_SCRIPTS: ReadonlySet<string> = new Set(["millrace", "start"])

export const prefix = ({ script, file }: Start): string => {
  if (script !== undefined && ROOT_SCRIPTS.has(script)) {
    return ROOT_SCRIPT
  }
  if (script === "npx") {
    return "npx millrace"
  }
  return file === undefined || path.basename(file) === "millrace" ? "millrace" : `node ${quoted(file)}`
}

/** The words before the arguments in the present run. */
export const current = (): string =>
  prefix({ script: process.env["npm_lifecycle_event"], file: process.argv[1] && relative(process.argv[1]) })

const relative = (file: string): string => {
  const fromHere = path.relative(process.cwd(), file)
  return path.basename(file) === "millrace" || fromHere.startsWith("..") ? file : fromHere
}

/** A word that a POSIX shell reads as this text. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
