/**
 * The real DefaultMessageStore as a process of a benchmark. Its program is that of the interop tests: `mvn` builds it
 * there once, when Java and Maven are on this machine.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { createInterface } from "node:readline"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ROCKETMQ_VERSION } from "#harness/Versions"

/** RocketMQ writes its logs into the home directory that it is told. */
const home = join(tmpdir(), "millrace-bench-rocketmq")

const peers = join(import.meta.dirname, "..", "..", "..", "..", "interop", "rocketmq")
const target = join(peers, "target", ROCKETMQ_VERSION)
const source = join(peers, "src", "main", "java", "millrace", "interop", "StoreBench.java")
const built = join(target, "classes", "millrace", "interop", "StoreBench.class")

const runs = (command: string, ...args: ReadonlyArray<string>): boolean =>
  spawnSync(command, args, { cwd: peers, stdio: "ignore" }).status === 0

const isBuilt = (): boolean => fs.existsSync(built) && fs.statSync(built).mtimeMs >= fs.statSync(source).mtimeMs

/** Why Java's rows are left out, or undefined when they can be measured. */
export const javaAbsence = (): string | undefined => {
  if (!runs("java", "-version")) {
    return "there is no Java on this machine"
  }
  return isBuilt() || runs("mvn", "-q", "-B", `-Drocketmq.version=${ROCKETMQ_VERSION}`, "process-classes")
    ? undefined
    : "Maven is not on this machine, or could not build the Java programs of interop/rocketmq"
}

/** Java 17 keeps these closed, and the store needs them to unmap its files. */
const OPENED = ["java.base/java.nio=ALL-UNNAMED", "java.base/jdk.internal.ref=ALL-UNNAMED"]

const command = (): ReadonlyArray<string> => {
  const classPath = [join(target, "classes"), fs.readFileSync(join(target, "classpath"), "utf8").trim()].join(":")
  return [`-Duser.home=${home}`, ...OPENED.flatMap((name) => ["--add-opens", name]), "-cp", classPath]
}

/** What an order took: on the clock, and of the process's threads together. */
export interface Cost {
  readonly elapsedNs: number
  readonly processorNs: number
}

export type Settings = Readonly<Record<string, string | number | boolean>>

/** A store of the real one, open in a process of its own. */
export class JavaStore {
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>
  readonly #kill = (): boolean => this.#child.kill("SIGKILL")

  static async open(directory: string, settings: Settings, length: number): Promise<JavaStore> {
    const store = new JavaStore(directory, settings, length)
    await store.#line()
    return store
  }

  private constructor(directory: string, settings: Settings, length: number) {
    fs.mkdirSync(home, { recursive: true })
    const arguments_ = [
      ...command(),
      "millrace.interop.StoreBench",
      directory,
      JSON.stringify(settings),
      String(length)
    ]
    const errors = fs.openSync(join(home, "bench.err"), "w")
    this.#child = spawn("java", arguments_, { stdio: ["pipe", "pipe", errors] })
    fs.closeSync(errors)
    this.#lines = createInterface({ input: this.#child.stdout! })[Symbol.asyncIterator]()
    process.once("exit", this.#kill)
  }

  /** Has an order carried out. */
  async order(name: string, ...numbers: ReadonlyArray<number>): Promise<Cost> {
    this.#child.stdin!.write(`${[name, ...numbers].join(" ")}\n`)
    const [elapsedNs, processorNs] = (await this.#line()).split(" ").map(Number)
    return { elapsedNs: elapsedNs!, processorNs: processorNs! }
  }

  async #line(): Promise<string> {
    const { done, value } = await this.#lines.next()
    if (done === true) {
      throw new Error(`Java's store has ended:\n${fs.readFileSync(join(home, "bench.err"), "utf8").slice(-2000)}`)
    }
    return value
  }

  /** Ends the process as it is: what it has left is thrown away. */
  end(): void {
    process.off("exit", this.#kill)
    this.#kill()
  }
}
