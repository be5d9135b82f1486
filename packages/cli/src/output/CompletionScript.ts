/**
 * The script by which a shell completes a command line: what Effect makes of the commands, and what it cannot know. Paths
 * are plain text to our parser, because who opens one says best what is wrong with it; a name may be that of two commands
 * (`millrace stat`, `millrace store stat`); and nobody types a `--no-json`.
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import * as GlobalFlag from "effect/cli/GlobalFlag"

/** What is completed as a path, by the name of its flag or argument. */
const PATHS: Readonly<Record<string, "file" | "directory">> = {
  dir: "directory",
  store: "directory",
  backup: "directory",
  file: "file",
  properties: "file"
}

const typeOf = <Type extends Completions.FlagType>(name: string, type: Type): Type | Completions.ArgumentType => {
  const pathType = type._tag === "String" ? PATHS[name] : undefined
  return pathType === undefined ? type : { _tag: "Path", pathType }
}

const withPaths = (command: Completions.CommandDescriptor): Completions.CommandDescriptor => ({
  ...command,
  flags: command.flags.map((flag) => ({ ...flag, type: typeOf(flag.name, flag.type), negation: false })),
  arguments: command.arguments.map((argument) => ({ ...argument, type: typeOf(argument.name, argument.type) })),
  subcommands: command.subcommands.map(withPaths)
})

const FISH_AT = `function __millrace_at
  set -l words (commandline -opc)[2..]
  set -l length (count $argv)
  test "$words[1..$length]" = "$argv"
end
`

/** The library has fish look for the names of a command among all words; here the line has to begin with them. */
const withPlaces = (script: string): string =>
  FISH_AT +
  script
    .replaceAll(/__fish_seen_subcommand_from (\S+); and __fish_seen_subcommand_from ([\w-]+)/g, "__millrace_at $1 $2")
    .replaceAll(/-n '__fish_seen_subcommand_from ([\w-]+)/g, "-n '__millrace_at $1")

/** Where one directory is left, its content is next. Before version 4, bash cannot leave out the blank behind it. */
const BASH_ENTER = `_millrace--enter()
{
  _millrace--paths "$@"
  if [[ \${#COMPREPLY[@]} -eq 1 && -d "\${COMPREPLY[0]//\\\\/}" ]]; then
    COMPREPLY[0]+=/
    compopt -o nospace 2>/dev/null
  fi
}
`

/** The library ends a directory as it ends a file, with a blank. */
const withDirectories = (script: string): string =>
  BASH_ENTER + script.replaceAll(/_millrace--paths (?=-[df] )/g, "_millrace--enter ")

export const generate = (command: Command.Command.Any, shell: Completions.Shell): string => {
  const script = Completions.generate(command.name, shell, withPaths(Completions.fromCommand(command)))
  switch (shell) {
    case "bash":
      return withDirectories(script)
    case "fish":
      return withPlaces(script)
    case "zsh":
    case "powershell":
      return script
  }
}

/** `--completions SHELL`. */
export const flag: typeof GlobalFlag.Completions = GlobalFlag.Action({
  flag: GlobalFlag.Completions.flag,
  run: (shell, { command }) => (Option.isSome(shell) ? Console.log(generate(command, shell.value)) : Effect.void)
})
