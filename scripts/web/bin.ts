/**
 * `pnpm web:check`: the page of `millrace web` in a real browser, over a driver and a store with traffic. Takes
 * screenshots into the directory that is named, or none. Says that it did not run where there is no Chromium.
 */
import assert from "node:assert/strict"
import { mkdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import * as Browser from "./Browser.ts"
import { CONTRASTS } from "./Contrast.ts"
import { HOSTILE, Line } from "./Line.ts"

const [directory] = process.argv.slice(2)
let passed = 0

const check = async (fact: string, run: () => Promise<void>): Promise<void> => {
  await run()
  passed++
  console.log(`✓ ${fact}`)
}

const LIVE = `document.querySelector("#state")?.textContent === "live"`
const ROWS = `document.querySelectorAll("#driver tbody tr").length >= 2 && document.querySelectorAll("#store tbody tr").length >= 2`

const SIZES = [
  ["wide", 1280, 900],
  ["narrow", 390, 844]
] as const

const looks = async (page: Browser.Page, url: string): Promise<void> => {
  for (const scheme of ["light", "dark"]) {
    for (const [name, width, height] of SIZES) {
      await check(`shows a driver and a store, ${scheme}, ${width} pixels wide`, async () => {
        await page.call("Emulation.setEmulatedMedia", {
          features: [{ name: "prefers-color-scheme", value: scheme }]
        })
        await page.call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false })
        await page.call("Page.navigate", { url })
        await page.until(LIVE)
        await page.until(ROWS)
        // Some samples for the lines.
        await page.until(
          `document.querySelector("#driver .spark polyline").getAttribute("points").split(" ").length > 6`
        )
        assert.deepEqual(await page.evaluate<ReadonlyArray<string>>(CONTRASTS), [], "every text stands out")
        const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")
        assert.ok(overflow <= 0, `nothing reaches beyond the window: ${overflow}`)
        if (directory !== undefined) {
          const place = resolve(directory)
          mkdirSync(place, { recursive: true })
          writeFileSync(join(place, `web-${scheme}-${name}.png`), await page.screenshot())
        }
      })
    }
  }
}

const keys = async (page: Browser.Page): Promise<void> => {
  await check("is used by the keyboard alone: pause, and the order of a table", async () => {
    await page.press("p", "KeyP", "p")
    await page.until(`document.querySelector("#pause").getAttribute("aria-pressed") === "true"`)
    const time = await page.evaluate<string>(`document.querySelector("#time").textContent`)
    await page.press("p", "KeyP", "p")
    await page.until(`document.querySelector("#time").textContent !== ${JSON.stringify(time)}`)
    const focused = `document.activeElement.textContent`
    for (let presses = 0; (await page.evaluate<string>(focused)) !== "channel"; presses++) {
      assert.ok(presses < 40, "the title of a column is reached by Tab")
      await page.press("Tab")
    }
    await page.press("Enter", "Enter", "\r")
    await page.until(`document.activeElement.closest("th").getAttribute("aria-sort") === "ascending"`)
    // Samples come, and the focus stays where it is.
    await page.until(`document.querySelector("#time").textContent !== ${JSON.stringify(time)}`)
    assert.equal(await page.evaluate<string>(focused), "channel")
  })
  await check("shows what the process says of itself that has the store open", async () => {
    const labels = await page.evaluate<ReadonlyArray<string>>(
      `[...document.querySelectorAll("#store dt")].map(({ textContent }) => textContent)`
    )
    for (const label of ["sync p50 / p99", "longest sync", "not flushed", "read"]) {
      assert.ok(labels.includes(label), label)
    }
    assert.match(
      await page.evaluate<string>(`document.querySelector("#store .about").textContent`),
      /open in process \d+$/
    )
  })
  await check("names everything that is not text for those who do not see it", async () => {
    const { nodes } = (await page.call("Accessibility.getFullAXTree")) as {
      readonly nodes: ReadonlyArray<{
        readonly ignored: boolean
        readonly role?: { readonly value: string }
        readonly name?: { readonly value: string }
      }>
    }
    const named = (role: string) =>
      nodes.filter((node) => !node.ignored && node.role?.value === role).map(({ name }) => name?.value ?? "")
    assert.ok(named("table").includes("streams") && named("table").includes("topics"))
    assert.ok(named("button").length > 10)
    for (const role of ["button", "table", "region", "heading"]) {
      assert.ok(!named(role).includes(""), `every ${role} has a name`)
    }
  })
}

const safety = async (page: Browser.Page, url: string): Promise<void> => {
  await check("shows what others named as text", async () => {
    assert.equal(await page.evaluate<number>(`document.images.length`), 0)
    assert.equal(await page.evaluate<boolean>(`document.body.innerText.includes(${JSON.stringify(HOSTILE)})`), true)
  })
  await check("asks nobody but its own server, and nothing fails", () => {
    const asked = page.events
      .filter(({ method }) => method === "Network.requestWillBeSent")
      .map(({ params }) => (params["request"] as { readonly url: string }).url)
    const strangers = asked.filter((address) => !address.startsWith(url) && !address.startsWith("data:"))
    assert.deepEqual(strangers, [])
    const failures = page.events.filter(
      ({ method, params }) =>
        method === "Runtime.exceptionThrown" ||
        (method === "Log.entryAdded" && (params["entry"] as { readonly level: string }).level === "error")
    )
    assert.deepEqual(failures, [])
    return Promise.resolve()
  })
}

const reconnects = async (page: Browser.Page, line: Line, url: string): Promise<void> => {
  await check("says that the server has gone, and goes on when it is there again", async () => {
    await line.killLast()
    await page.until(`document.querySelector("#state").className === "lost"`)
    assert.equal(await line.web(Number(new URL(url).port)), url)
    await page.until(LIVE)
  })
}

const main = async (): Promise<void> => {
  const chromium = Browser.find()
  if (chromium === undefined) {
    console.log("web: NOT RUN, no Chromium (apt-get install chromium, or name one by CHROMIUM)")
    return
  }
  const line = new Line()
  let page: Browser.Page | undefined
  try {
    await line.traffic()
    const url = await line.web()
    page = await Browser.Page.open(chromium)
    await looks(page, url)
    await keys(page)
    await safety(page, url)
    await reconnects(page, line, url)
    console.log(`${passed} passed, 0 failed`)
  } finally {
    await page?.close()
    await line.close()
  }
}

await main()
