/**
 * Writes `docs/commands.md` from the help that each command prints.
 *
 *     node scripts/docs/commands.ts           writes the page
 *     node scripts/docs/commands.ts --check   fails when the page in the tree is not what would be written
 */
import { execFile } from "node:child_process"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import * as Page from "./Page.ts"

const BIN = join(dirname(dirname(import.meta.dirname)), "packages/cli/src/bin.ts")

const run = promisify(execFile)

const helpOf = async (command: ReadonlyArray<string>): Promise<string> => {
  const { stdout } = await run(process.execPath, [BIN, ...command, "--help"], {
    env: { ...process.env, NO_COLOR: "1", COLUMNS: "120" }
  })
  return stdout.trimEnd()
}

/** Names of commands are indented, by the title of their group or by nothing, and followed by what they do. */
const namesIn = (help: string): ReadonlyArray<string> =>
  [...help.matchAll(/^(?:[A-Z][a-z]+(?: [a-z]+)*)? {2,}([a-z][a-z-]*) {2,}\S/gm)].map(([, name = ""]) => name)

/** Those of a group stand under titles behind its usage. */
const namesOfGroup = (help: string): ReadonlyArray<string> => {
  if (!/^ +millrace \S+ <subcommand>/m.test(help)) {
    return []
  }
  const names = namesIn(help.slice(help.indexOf("<subcommand>")))
  if (names.length === 0) {
    throw new Error(`no subcommand was found in:\n${help}`)
  }
  return names
}

const root = await helpOf([])
const sections: Array<string> = []
for (const name of namesIn(root)) {
  const help = await helpOf([name])
  sections.push(`## millrace ${name}`, "", "```text", help, "```", "")
  const subcommands = namesOfGroup(help)
  const helps = await Promise.all(subcommands.map((subcommand) => helpOf([name, subcommand])))
  for (const [index, text] of helps.entries()) {
    sections.push(`### millrace ${name} ${subcommands[index]}`, "", "```text", text, "```", "")
  }
}

Page.write(
  "docs/commands.md",
  [
    "<!-- Written by `pnpm docs` from the commands themselves. -->",
    "",
    "# Commands",
    "",
    "What each does, told at length, stands in the [README of the command line](../packages/cli/README.md); the exit codes as well.",
    "",
    "```text",
    root,
    "```",
    "",
    ...sections
  ].join("\n")
)
