import { assert, describe, it } from "@effect/vitest"
import { temporaryDirectory } from "@millrace/testkit/temporaryDirectory"
import type { Shell } from "effect/cli/Completions"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { millrace } from "../../src/main.ts"
import * as CompletionScript from "../../src/output/CompletionScript.ts"
import * as Shells from "../support/Shells.ts"

const scriptOf = (shell: Shell): string => CompletionScript.generate(millrace, shell)

/** What each line offers, and what it does not. */
const LINES: ReadonlyArray<readonly [line: string, offered: ReadonlyArray<string>, not: ReadonlyArray<string>]> = [
  ["millrace ", ["demo", "top", "doctor", "store"], ["verify"]],
  ["millrace d", ["demo", "doctor", "driver"], ["top"]],
  ["millrace store ", ["verify", "put", "bench"], ["demo"]],
  ["millrace top --", ["--store", "--once", "--json"], ["--no-json", "--watch"]],
  ["millrace top --sort ", ["rate", "behind", "position", "name"], ["--json"]],
  ["millrace stat --", ["--watch", "--dir"], ["--config"]],
  ["millrace store stat --", ["--config", "--json"], ["--watch", "--dir"]],
  ["millrace publish --channel stat --", ["--stream"], ["--watch"]],
  ["millrace store verify tr", ["trades/", "traffic/"], []],
  ["millrace store dump trades/c", ["trades/checkpoint", "trades/commitlog/"], ["trades/abort"]],
  ["millrace top --store tr", ["trades/", "traffic/"], []],
  ["millrace frames t", ["trace.pcap", "trades/"], []]
]

/** Neither the place before a name nor the mark of a directory, which shells add when they insert it. */
const nameOf = (word: string): string => word.replace(/\/$/, "").replace(/^.*\//, "")

describe("completions", () => {
  it("offer commands, flags, choices and paths in the shells that there are", () => {
    const directory = temporaryDirectory()
    for (const name of ["trades", "trades/commitlog", "traffic"]) {
      mkdirSync(join(directory, name))
    }
    for (const name of ["trace.pcap", "trades/checkpoint", "trades/abort"]) {
      writeFileSync(join(directory, name), "")
    }
    for (const [shell, offered] of Shells.offered) {
      const answers = offered(
        scriptOf(shell),
        LINES.map(([line]) => line),
        directory
      )
      for (const [index, [line, expected, not]] of LINES.entries()) {
        const names = answers[index]!.map(nameOf)
        assert.includeMembers(names, expected.map(nameOf), `${shell}: ${line}`)
        assert.deepStrictEqual(
          not.map(nameOf).filter((name) => names.includes(name)),
          [],
          `${shell}: ${line}`
        )
      }
    }
  })
  it("lead on in bash into the only directory that is left", () => {
    const directory = temporaryDirectory()
    mkdirSync(join(directory, "two words"))
    const lines = ["millrace store verify t", "millrace frames t", "millrace top --dir t"]
    const [, bash] = Shells.offered[0]!
    assert.deepStrictEqual(
      bash(scriptOf("bash"), lines, directory),
      lines.map(() => ["two\\ words/"])
    )
  })

  it("know every command in every shell", () => {
    for (const shell of ["bash", "zsh", "fish", "powershell"] as const) {
      const script = scriptOf(shell)
      for (const name of millrace.subcommands.flatMap(({ commands }) => commands.map(({ name }) => name))) {
        assert.include(script, name, shell)
      }
    }
  })

  it("are read by zsh as a function for millrace, whose descriptions neither end a flag nor begin an action", () => {
    const [head, ...lines] = scriptOf("zsh").split("\n")
    assert.strictEqual(head, "#compdef millrace")
    const flags = lines.filter((line) => /^ +'\(-/.test(line))
    const commands = lines.filter((line) => /^ +'[a-z-]+:/.test(line))
    assert.isAbove(flags.length, 100)
    assert.isAbove(commands.length, 30)
    for (const flag of flags) {
      assert.match(flag, /^ +'\([^)]+\)--?[\w-]+\[(?:[^\]:'\\]|\\[^']|'\\'')+\](?::\w+:\w*(?:\(.+\))?)?'$/)
    }
    for (const command of commands) {
      assert.match(command, /^ +'[a-z-]+:(?:[^:'\\]|\\[^']|'\\'')+'$/)
    }
  })

  it("are read by fish as conditions and texts in quotes that end, and tell commands of one name apart", () => {
    const lines = scriptOf("fish")
      .split("\n")
      .filter((line) => line.startsWith("complete"))
    assert.isAbove(lines.length, 400)
    for (const line of lines) {
      assert.match(line, /^complete -c millrace(?: -[nad] '(?:[^'\\]|\\.)*'| -[fFr]| -[ls] [\w-]+)+$/)
      assert.notMatch(line, /-n '__fish_seen_subcommand_from|; and __fish_seen_subcommand_from/)
    }
  })
})
