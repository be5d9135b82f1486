/**
 * Java's driver and client as processes of a benchmark. They are those of the interop tests: `mvn` builds them there
 * once, when Java and Maven are on this machine.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"

const home = join(import.meta.dirname, "..", "..", "..", "..", "interop", "aeron")
const classpath = `${join(home, "target", "classes")}:${join(home, "target", "lib", "*")}`
const source = join(home, "src", "main", "java", "millrace", "interop", "Bench.java")
const built = join(home, "target", "classes", "millrace", "interop", "Bench.class")

const runs = (command: string, ...args: ReadonlyArray<string>): boolean =>
  spawnSync(command, args, { cwd: home, stdio: "ignore" }).status === 0

const isBuilt = (): boolean => existsSync(built) && statSync(built).mtimeMs >= statSync(source).mtimeMs

/** Why Java's rows are left out, or undefined when they can be measured. */
export const javaAbsence = (): string | undefined => {
  if (!runs("java", "-version")) {
    return "there is no Java on this machine"
  }
  return isBuilt() || runs("mvn", "-q", "-B", "process-classes")
    ? undefined
    : "Maven is not on this machine, or could not build the Java programs of interop/aeron"
}

/** A driver, or a client, of Aeron's. */
export interface AeronProcess {
  /** Gives it a line. */
  readonly say: (text: string) => void
  /** The next line that it prints. */
  readonly line: () => Promise<string>
  /** Ends it, and waits for that. */
  readonly end: () => Promise<void>
}

/** Aeron in one of its languages. */
export interface Aeron {
  readonly startDriver: (directory: string) => AeronProcess
  /** A client in one role, once it is open. */
  readonly startBench: (role: string, args: ReadonlyArray<string>) => Promise<AeronProcess>
}

export const open = (name: string, command: string, args: ReadonlyArray<string>): AeronProcess => {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })
  const kill = (): boolean => child.kill("SIGKILL")
  process.once("exit", kill)
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => {
      process.off("exit", kill)
      resolve()
    })
  })
  return {
    say: (text) => void child.stdin.write(`${text}\n`),
    line: linesOf(child, exited, name),
    end: () => {
      child.stdin.end()
      child.kill("SIGTERM")
      return exited
    }
  }
}

const start = (main: string, args: ReadonlyArray<string>, properties: ReadonlyArray<string> = []): AeronProcess => {
  const flags = ["--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED", "-cp", classpath, ...properties]
  return open(main, "java", [...flags, main, ...args])
}

const linesOf = (child: ChildProcess, exited: Promise<void>, name: string): (() => Promise<string>) => {
  let text = ""
  let wake = (): void => {}
  child.stdout!.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk
    wake()
  })
  const take = (): string | undefined => {
    const end = text.indexOf("\n")
    const line = end < 0 ? undefined : text.slice(0, end)
    text = text.slice(end + 1)
    return line
  }
  const next = (): Promise<string> =>
    new Promise((resolve) => {
      wake = () => {
        const line = take()
        if (line !== undefined) {
          wake = () => {}
          resolve(line)
        }
      }
      wake()
    })
  const ended = exited.then((): never => {
    throw new Error(`${name} ended before it answered`)
  })
  ended.catch(() => {})
  return () => Promise.race([next(), ended])
}

/** Java's driver in one thread, as few cores want it; it parks up to a millisecond. */
const startDriver = (directory: string): AeronProcess =>
  start(
    "io.aeron.driver.MediaDriver",
    [],
    [
      `-Daeron.dir=${directory}`,
      "-Daeron.threading.mode=SHARED",
      "-Daeron.shared.idle.strategy=org.agrona.concurrent.BackoffIdleStrategy",
      "-Daeron.client.liveness.timeout=60s",
      "-Daeron.publication.unblock.timeout=61s",
      "-Daeron.ipc.term.buffer.length=4194304",
      "-Daeron.term.buffer.length=4194304"
    ]
  )

/** One role of `Bench.java`, once it is open. */
const startBench = async (role: string, args: ReadonlyArray<string>): Promise<AeronProcess> => {
  const bench = start("millrace.interop.Bench", [role, ...args])
  await bench.line()
  return bench
}

export const java: Aeron = { startDriver, startBench }

/** Starts a run. */
export const begin = async (bench: AeronProcess, count: number): Promise<void> => {
  bench.say(String(count))
  await bench.line()
}
