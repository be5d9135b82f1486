/** What real shells offer for command lines that end where a user presses Tab, by the scripts that `--completions` prints. */
import { temporaryDirectory } from "@millrace/testkit/temporaryDirectory"
import type { Shell } from "effect/cli/Completions"
import { execFileSync, spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"

/** What is offered for each of the lines, in a directory. */
type Offered = (script: string, lines: ReadonlyArray<string>, directory: string) => ReadonlyArray<ReadonlyArray<string>>

const LINE = "line:"

/** From output in which each line is followed by what was offered for it. */
const answersOf = (output: string, pattern: RegExp): ReadonlyArray<ReadonlyArray<string>> =>
  output
    .split(LINE)
    .slice(1)
    .map((answer) => [...answer.slice(answer.indexOf("\n")).matchAll(pattern)].map(([, word = ""]) => word))

const BASH = String.raw`
for line; do
  COMP_LINE=$line COMP_POINT=${"${#line}"}
  read -ra COMP_WORDS <<< "$line"
  [[ $line == *" " ]] && COMP_WORDS+=("")
  COMP_CWORD=$((${"${#COMP_WORDS[@]}"} - 1))
  _millrace millrace "${"${COMP_WORDS[COMP_CWORD]}"}" 2>/dev/null
  printf '${LINE}\n'; printf '%s\n' "${"${COMPREPLY[@]}"}"
done`

const bash: Offered = (script, lines, cwd) =>
  answersOf(
    execFileSync("bash", ["--norc", "-c", `${script}\n${BASH}`, "bash", ...lines], { cwd, encoding: "utf8" }),
    /^(\S.*)$/gm
  )

const fish: Offered = (script, lines, cwd) => {
  const asked = lines.map((line) => `echo ${LINE}; complete -C '${line}'`).join("\n")
  return answersOf(
    execFileSync("fish", ["--no-config", "-c", `${script}\n${asked}`], { cwd, encoding: "utf8" }),
    /^([^\t\n]+)/gm
  )
}

/** zsh completes only where somebody types, so that one shell types into another, whose completer says what it adds. */
const ZSH = String.raw`
zmodload zsh/zpty
zpty typed zsh -f -i
zpty -w typed "PS1=; fpath=($1 \$fpath); autoload -Uz compinit; compinit -D -u"
zpty -w typed 'compadd() {
  [[ ${"${@[1,(i)(-|--)]}"} == *-[OAD]\ * ]] || {
    local -a offered; builtin compadd -A offered "$@"; print -rl -- "" offered:${"${^offered}"}
  }
  builtin compadd "$@"
}'
zpty -w typed "ask() { zle complete-word; print -r -- asked: }; zle -N ask; bindkey '^I' ask"
shift
for line; do
  zpty -w -n typed "$line"$'\t'
  zpty -r typed answer $'*asked:\r*'
  print -r -- "${LINE}"
  print -r -- "$answer"
  zpty -w -n typed $'\x15'
done
zpty -d typed`

const zsh: Offered = (script, lines, cwd) => {
  const functions = temporaryDirectory()
  writeFileSync(join(functions, "_millrace"), script)
  return answersOf(
    execFileSync("zsh", ["-f", "-c", ZSH, "zsh", functions, ...lines], { cwd, encoding: "utf8", timeout: 20_000 }),
    /^offered:([^\r]+)\r$/gm
  )
}

/** bash has to be there; zsh and fish are asked where they are. */
export const offered: ReadonlyArray<readonly [Shell, Offered]> = [
  ["bash", bash] as const,
  ...([["zsh", zsh] as const, ["fish", fish] as const] as const).filter(
    ([shell]) => spawnSync(shell, ["--version"]).status === 0
  )
]
