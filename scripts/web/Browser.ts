/** A headless Chromium, spoken to by its DevTools protocol: no library of a browser is needed for that. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
const START_MS_MAX = 30_000
const CALL_MS_MAX = 30_000

interface Reply {
  readonly id?: number
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: Record<string, unknown>
  readonly error?: { readonly message: string }
}

/** The name of a Chromium of this machine; undefined where there is none. */
export const find = (): string | undefined =>
  [process.env["CHROMIUM"] ?? "", ...NAMES].find(
    (name) => name !== "" && spawnSync(name, ["--version"], { stdio: "ignore" }).status === 0
  )

/** One tab. Events are kept in the order in which they come. */
export class Page {
  readonly #socket: WebSocket
  readonly #process: ChildProcess
  readonly #profile: string
  readonly #waiting = new Map<number, (reply: Reply) => void>()
  #lastId = 0
  readonly events: Array<{ readonly method: string; readonly params: Record<string, unknown> }> = []

  private constructor(socket: WebSocket, child: ChildProcess, profile: string) {
    this.#socket = socket
    this.#process = child
    this.#profile = profile
    socket.addEventListener("message", ({ data }) => {
      const reply = JSON.parse(String(data)) as Reply
      if (reply.id === undefined) {
        this.events.push({ method: reply.method ?? "", params: reply.params ?? {} })
      } else {
        this.#waiting.get(reply.id)?.(reply)
        this.#waiting.delete(reply.id)
      }
    })
  }

  static async open(chromium: string): Promise<Page> {
    const profile = mkdtempSync(join(tmpdir(), "millrace-chromium-"))
    const child = spawn(
      chromium,
      [
        "--headless=new",
        "--no-sandbox",
        "--no-first-run",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--remote-debugging-port=0",
        `--user-data-dir=${profile}`,
        "about:blank"
      ],
      { stdio: ["ignore", "ignore", "pipe"] }
    )
    const port = await portOf(child)
    const tabs = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as ReadonlyArray<{
      readonly type: string
      readonly webSocketDebuggerUrl: string
    }>
    const socket = new WebSocket(tabs.find(({ type }) => type === "page")!.webSocketDebuggerUrl)
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve, { once: true })
      socket.addEventListener("error", reject, { once: true })
    })
    const page = new Page(socket, child, profile)
    for (const domain of ["Page", "Runtime", "Network", "Log", "Accessibility"]) {
      await page.call(`${domain}.enable`)
    }
    return page
  }

  call(method: string, params: object = {}): Promise<Record<string, unknown>> {
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${method} was not answered`)), CALL_MS_MAX)
      this.#waiting.set(id, ({ error, result }) => {
        clearTimeout(timer)
        if (error === undefined) {
          resolve(result ?? {})
        } else {
          reject(new Error(`${method}: ${error.message}`))
        }
      })
      this.#socket.send(JSON.stringify({ id, method, params }))
    })
  }

  /** The value of an expression in the page. */
  async evaluate<A>(expression: string): Promise<A> {
    const { exceptionDetails, result } = (await this.call("Runtime.evaluate", {
      expression,
      returnByValue: true,
      awaitPromise: true
    })) as { readonly result: { readonly value: A }; readonly exceptionDetails?: { readonly text: string } }
    if (exceptionDetails !== undefined) {
      throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`)
    }
    return result.value
  }

  /** Waits until an expression in the page is true. */
  async until(expression: string, msMax = CALL_MS_MAX): Promise<void> {
    const endMs = performance.now() + msMax
    while (!(await this.evaluate<boolean>(`Boolean(${expression})`))) {
      if (performance.now() > endMs) {
        throw new Error(`this never came true in the page: ${expression}`)
      }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  async press(key: string, code = key, text?: string): Promise<void> {
    const common = { key, code, windowsVirtualKeyCode: key === "Enter" ? 13 : key === "Tab" ? 9 : 0 }
    await this.call("Input.dispatchKeyEvent", { type: "keyDown", ...common, ...(text === undefined ? {} : { text }) })
    await this.call("Input.dispatchKeyEvent", { type: "keyUp", ...common })
  }

  async screenshot(): Promise<Uint8Array> {
    const { data } = await this.call("Page.captureScreenshot", { format: "png", captureBeyondViewport: true })
    return Buffer.from(data as string, "base64")
  }

  async close(): Promise<void> {
    this.#socket.close()
    const ended = new Promise((resolve) => this.#process.once("exit", resolve))
    this.#process.kill("SIGKILL")
    await ended
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 })
  }
}

const portOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let output = ""
    const timer = setTimeout(() => reject(new Error(`Chromium did not start: ${output}`)), START_MS_MAX)
    child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      output += text
      const found = /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)\//.exec(output)
      if (found !== null) {
        clearTimeout(timer)
        resolve(found[1]!)
      }
    })
    child.once("error", reject)
  })
