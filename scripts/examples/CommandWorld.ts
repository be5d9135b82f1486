/** What the examples in the help speak of: a driver with streams, a store, a recording, captures, files. */
import { copyFileSync, cpSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Example } from "./CommandExamples.ts"
import type { Shell, Typed } from "./Shell.ts"

const SIZES =
  "--config mappedFileSizeCommitLog=1048576 --config mappedFileSizeConsumeQueue=2000 --config maxHashSlotNum=100 --config maxIndexNum=4000"
const TRADE = `'{"id":%d,"topic":"trades","queueId":0,"text":"%d","keys":"order-%d","tags":"AAPL"}\\n'`
const UDP = "--channel aeron:udp?endpoint=localhost:20223 --stream 5"

const WEATHER = join(import.meta.dirname, "../../packages/cli/node_modules/vega-datasets/data/weather.csv")

export class CommandWorld {
  readonly #shell: Shell
  readonly #root: string
  readonly #files: string
  readonly #driver: string
  readonly #running: Array<Typed> = []
  #registrationId = ""
  #count = 0

  constructor(shell: Shell, root: string) {
    this.#shell = shell
    this.#root = root
    this.#files = join(root, "files")
    this.#driver = join(root, "driver")
  }

  async #start(line: string, ready: RegExp, driver: string = this.#driver): Promise<Typed> {
    const typed = this.#shell.type(line, this.#files, driver)
    this.#running.push(typed)
    await typed.says(ready)
    return typed
  }

  async make(): Promise<void> {
    mkdirSync(this.#files)
    const run = (line: string, driver: string = this.#driver) => this.#shell.run(line, this.#files, driver)
    await this.#start("millrace driver", /is ready/)
    await run(`for n in $(seq 20); do printf ${TRADE} $n $n $n; done > puts.ndjson`)
    await run(`millrace store import trades ${SIZES} < puts.ndjson`)
    await this.#record()
    await this.#capture()
    // A stream whose log stays, because its input does not end.
    await this.#start("millrace subscribe --stream 1001 --stats", /messages\/s/)
    this.#running.push(
      this.#shell.type("(echo one; sleep 3600) | millrace publish --stream 1001", this.#files, this.#driver)
    )
    await this.#findLog()
    copyFileSync(WEATHER, join(this.#files, "weather.csv"))
  }

  async #record(): Promise<void> {
    const recording = this.#shell.run(
      `millrace record recordings --stream 7 --topic prices --count 1000 ${SIZES.split(" --config maxHash")[0]}`,
      this.#files,
      this.#driver
    )
    await this.#shell.run("seq 1000 | millrace publish --stream 7", this.#files, this.#driver)
    await recording
  }

  async #capture(): Promise<void> {
    const driver = join(this.#root, "captured")
    const capturing = await this.#start("millrace capture aeron.pcap", /is ready/, driver)
    const reading = this.#shell.run(`millrace subscribe ${UDP} --count 10`, this.#files, driver)
    await this.#shell.run(`seq 10 | millrace publish ${UDP}`, this.#files, driver)
    await reading
    capturing.stop("SIGINT")
    await capturing.ended()
    copyFileSync(join(this.#files, "aeron.pcap"), join(this.#files, "aeron.pcapng"))
  }

  async #findLog(): Promise<void> {
    const directory = join(this.#driver, "publications")
    for (let looks = 0; looks < 600; looks++) {
      const log = readdirSync(directory).find((name) => name.endsWith(".logbuffer"))
      if (log !== undefined) {
        this.#registrationId = log.replace(".logbuffer", "")
        copyFileSync(join(directory, log), join(this.#files, "publication.logbuffer"))
        return
      }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error("no publication has a log")
  }

  /** Where an example is typed: a directory of its own, with all files, and the driver that it finds. */
  place({ command }: Example): { readonly cwd: string; readonly driver: string } {
    const cwd = join(this.#root, `example-${++this.#count}`)
    cpSync(this.#files, cwd, { recursive: true })
    const startsDriver = command === "driver" || command === "capture"
    return { cwd, driver: startsDriver ? join(cwd, "driver") : this.#driver }
  }

  leave(cwd: string): void {
    rmSync(cwd, { recursive: true, force: true })
  }

  /** The id of a publication is what the driver has given it. */
  lineOf({ line }: Example): string {
    return line.replace(/^millrace log \d+/, `millrace log ${this.#registrationId}`)
  }

  /** What has to run beside an example, for it to have somebody to talk to. */
  companionOf({ command, line }: Example, cwd: string): Typed | undefined {
    const stream = /--stream (\S+)/.exec(line)?.[1] ?? "1001"
    const beside = (companion: string) => this.#shell.type(companion, cwd, this.#driver)
    switch (command) {
      case "publish":
      case "replay":
        return beside(`millrace subscribe --stream ${stream} --stats`)
      case "subscribe":
        return stream === "1001" ? undefined : beside(`seq 1000 | millrace publish --stream ${stream}`)
      case "record":
        return beside(`seq 2000 | millrace publish --stream ${stream}`)
      default:
        return undefined
    }
  }

  async close(): Promise<void> {
    for (const typed of this.#running.toReversed()) {
      typed.stop("SIGKILL")
      await typed.ended()
    }
  }
}
