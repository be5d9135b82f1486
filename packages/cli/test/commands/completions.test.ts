import { assert, describe, it } from "@effect/vitest"
import * as Completions from "effect/cli/Completions"
import { execFileSync } from "node:child_process"
import { millrace } from "../../src/main.ts"

const scriptOf = (shell: Completions.Shell): string =>
  Completions.generate("millrace", shell, Completions.fromCommand(millrace))

/** What bash offers for the last of the words that were typed. */
const offered = (...words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const script = scriptOf("bash")
  const typed = ["millrace", ...words]
  const complete = [
    script,
    `COMP_WORDS=(${typed.map((word) => `'${word}'`).join(" ")})`,
    `COMP_CWORD=${typed.length - 1}`,
    `COMP_LINE='${typed.join(" ")}'`,
    "COMP_POINT=${#COMP_LINE}",
    `$(complete -p millrace | sed -E 's/.*-F ([^ ]+).*/\\1/') millrace`,
    String.raw`printf '%s\n' "\${COMPREPLY[@]}"`
  ].join("\n")
  return execFileSync("bash", ["--norc", "-c", complete.replaceAll(String.raw`\${`, "${")])
    .toString()
    .split("\n")
    .map((word) => word.trim())
}

describe("completions", () => {
  it("offer in bash the commands, their commands and their flags", () => {
    assert.includeMembers([...offered("")], ["demo", "top", "doctor", "store"])
    assert.includeMembers([...offered("to")], ["top"])
    assert.includeMembers([...offered("store", "")], ["verify", "put", "bench"])
    assert.includeMembers([...offered("top", "--")], ["--store", "--once", "--json"])
    assert.includeMembers([...offered("top", "--sort", "")], ["rate", "behind", "position", "name"])
  })

  it("know every command in every shell", () => {
    for (const shell of ["bash", "zsh", "fish", "powershell"] as const) {
      const script = scriptOf(shell)
      for (const name of millrace.subcommands.flatMap(({ commands }) => commands.map(({ name }) => name))) {
        assert.include(script, name, shell)
      }
    }
  })
})
