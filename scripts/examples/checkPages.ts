/** What pages show: every block is of a kind that something runs or holds, and it does. */
import { relative } from "node:path"
import * as ConsoleLines from "./ConsoleLines.ts"
import * as Fences from "./Fences.ts"
import { findStrangers } from "./ReadmePrograms.ts"
import { runProgram } from "./runProgram.ts"
import * as ShellBlocks from "./ShellBlocks.ts"

export interface Page {
  readonly path: string
  readonly text: string
}

/** What programs have written shows what they know. */
const isWritten = ({ text }: Page): boolean => text.startsWith("<!-- Written by ")

/** Programs that pages may show are parts of `sources`. Gives what is wrong. */
export const checkPages = async (
  root: string,
  all: ReadonlyArray<Page>,
  sources: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => {
  const pages = all.filter((page) => !isWritten(page))
  const failures = pages.flatMap(({ path, text }) => [
    ...Fences.findUnknown(text).map(
      ({ kind, line }) => `${path}:${line}  a block of kind "${kind}" is run by nothing: see scripts/examples/Fences.ts`
    ),
    ...findStrangers(text, sources).map(
      ({ line }) => `${path}:${line}  shows a program that is in no file of examples/ and in no docstring`
    )
  ])
  for (const page of pages) {
    failures.push(...(await checkShell(root, page)))
  }
  return [...failures, ...(await checkConsole(root, pages))]
}

const checkShell = async (root: string, { path, text }: Page): Promise<ReadonlyArray<string>> => {
  const code = ShellBlocks.find(text)
  if (code === "") {
    return []
  }
  const failure = await ShellBlocks.run(root, code)
  console.log(`${path}  ${failure === undefined ? "ok" : "FAILED"}`)
  return failure === undefined ? [] : [`${path}  ${failure}`]
}

/** A command that several pages show runs once. */
const checkConsole = async (root: string, pages: ReadonlyArray<Page>): Promise<ReadonlyArray<string>> => {
  const clone = ConsoleLines.readClone(root)
  const failures: Array<string> = []
  const ran = new Set<string>()
  for (const { path, text } of pages) {
    for (const { line, text: command } of ConsoleLines.find(text)) {
      const hold = ConsoleLines.holdOf(command, clone)
      if (hold._tag === "Nothing") {
        failures.push(`${path}:${line}  ${command}: ${hold.problem}`)
      } else if (hold._tag === "Runs" && !ran.has(command)) {
        ran.add(command)
        const [program = "", ...args] = hold.args
        const failure = await runProgram(program, args)
        console.log(`${command}  ${failure === undefined ? "ok" : "FAILED"}, by ${relative(root, program)}`)
        failures.push(...(failure === undefined ? [] : [`${path}:${line}  ${command}: ${failure}`]))
      }
    }
  }
  return failures
}
