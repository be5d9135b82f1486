import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { displayWidth } from "effect/cli/CliOutput"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Style from "../../src/output/Style.ts"
import * as Frame from "../../src/top/Frame.ts"
import * as History from "../../src/top/History.ts"
import * as View from "../../src/top/View.ts"
import { both, driver, store, stream, TIME_MS, topic, writer } from "./samples.ts"

const SMALL = { columns: 80, rows: 24 }

const picture = (fields: Partial<Frame.Picture> = {}): Frame.Picture => ({
  sample: both,
  history: History.next(History.next(History.empty, both), both),
  view: View.initial,
  intervalMs: 1000,
  ...fields
})

const text = (fields: Partial<Frame.Picture>, size: Frame.Size = SMALL): string =>
  Frame.lines(picture(fields), size, Style.plain)
    .map((line) => line.trimEnd())
    .join("\n")

const viewed = (view: Partial<View.View>): Partial<Frame.Picture> => ({ view: { ...View.initial, ...view } })

describe("a frame of top", () => {
  it("shows a driver and a store on a screen of 80 columns and 24 rows", () => {
    assert.strictEqual(
      text({}),
      `millrace top  12:31:05 UTC  every 1 s  by rate
driver /dev/shm/aeron-demo  pid 4711  heartbeat 12 ms ago  2 clients  CnC 0.2.0
  sent 12.3 MB/s        ██  received 0 B/s            ▁▁  mapped 51.0 MB
  back pressure 12 (2/s)  NAKs 7  resent 5  lost 0 B  errors 1  invalid 0
 stream     session       rate history    behind     room channel
   1002          77  45.2 MB/s       ██      0 B     HELD udp?endpoint=prices.e…
   1001 -1234567890   1.0 MB/s       ██   2.0 kB   8.4 MB ipc

store /var/lib/trades  open in process 815  20,001 messages in 2 topics
  put 1,201/s           ██  5.3 MB/s  dispatch 4.1 kB behind
  sync p50 0.41 ms  p99 3.2 ms  max 3.5 ms (12/s)  unflushed 640 kB  read 900/s
  disk 30.0 GB of 80.0 GB free  flush 420 ms behind  log 1.2 GB in 2 files
topic                  queues        rate history       messages        lag
trades                      4     1,200/s       ██        20,000         17
価格\\x07                    1         –/s                      1          –








q quit  s sort  r reverse  t streams  c clients  e errors  l losses  ? help`
    )
  })

  it("has positions, losses and subscribers where there is room for them", () => {
    const wide = text({}, { columns: 180, rows: 40 })
    assert.match(wide, /^ stream +session +rate history +behind +room +position +lost subs +NAKs +held channel$/m)
    assert.match(wide, / 8\.4 MB +1,099,511,627,776 +0 B +1 +0 +0 ipc$/m)
    assert.match(wide, / HELD +4,096 +1\.4 kB +1 +0 +0 udp\?endpoint=prices\.example\.com:40123$/m)
    assert.lengthOf(wide.split("\n"), 40)
  })

  it("is never taller or wider than the screen, whatever there is to show", () => {
    const streams = Array.from({ length: 300 }, (_, n) => stream({ streamId: n, bytesPerSecond: n * 1e9 }))
    const topics = Array.from({ length: 90 }, (_, n) => topic({ topic: `a rather long name of a topic ${n}` }))
    const sample = { ...both, driver: driver({ streams }), store: store({ topics }) }
    for (const [columns, rows] of [
      [20, 4],
      [40, 10],
      [80, 24],
      [119, 33],
      [220, 70]
    ] as const) {
      const tables = (["streams", "clients", "errors", "losses"] as const).map((table) => ({ table }))
      for (const view of [...tables, { showsHelp: true }]) {
        const lines = Frame.lines(picture({ ...viewed(view), sample }), { columns, rows }, Style.plain)
        assert.lengthOf(lines, rows)
        for (const line of lines) {
          assert.isAtMost(displayWidth(line), columns, line)
        }
      }
    }
  })

  it("gives the longer table what the shorter one leaves, and says how much is left out", () => {
    const streams = Array.from({ length: 50 }, (_, n) => stream({ streamId: n, bytesPerSecond: 50 - n }))
    const frame = text({ sample: { ...both, driver: driver({ streams }) } })
    assert.match(frame, /^ +8 -1234567890 /m)
    assert.match(frame, /^ {2}… 41 more$/m)
    assert.include(frame, "価格")
    const scrolled = text({ ...viewed({ scroll: 12 }), sample: { ...both, driver: driver({ streams }) } })
    assert.match(scrolled, /^ +12 -1234567890 /m)
    assert.match(scrolled, /^ {2}… 29 more$/m)
  })

  it("leaves out facts rather than rows on a low screen, and columns rather than rates on a narrow one", () => {
    const low = text({}, { columns: 80, rows: 12 })
    assert.match(low, /^ +1002 .*\n +1001 /m)
    assert.match(low, /^trades .*\n価格/m)
    assert.notInclude(low, "back pressure")
    assert.match(text({}, { columns: 40, rows: 20 }), /^trades +4 +1,200\/s/m)
  })

  it("tells a store that is open from one that was left open, as far as anybody knows", () => {
    const holder = (fields: Parameters<typeof store>[0]) =>
      text({ sample: { ...both, driver: null, store: store(fields) } }, { columns: 120, rows: 24 }).split("\n")[1]!
    assert.include(holder({}), "open in process 815")
    assert.include(holder({ writer: null }), "open, or left open, in process 815")
    assert.include(holder({ writer: null, pid: null }), "open, or left open  ")
    const dead = writer({ isLive: false, heartbeatAgeMs: 61_000 })
    assert.include(holder({ writer: dead }), "left open by process 815: no sign of life for 1 min 01 s")
    assert.include(holder({ isOpen: false, writer: null }), "closed")
  })

  it("shows what only the writer of a store knows", () => {
    const line = (fields: Parameters<typeof writer>[0]) =>
      text({ sample: { ...both, driver: null, store: store({ writer: writer(fields) }) } }, { columns: 160, rows: 24 })
        .split("\n")
        .find((text) => /^ {2}(no sync|sync)/.test(text))
    const rest = "unflushed 640 kB  read 900/s  2 waiting readers  refused 0"
    assert.strictEqual(line({}), `  sync p50 0.41 ms  p99 3.2 ms  max 3.5 ms (12/s)  ${rest}`)
    assert.strictEqual(line({ lastSyncs: null }), `  no sync of late  ${rest}`)
    assert.include(line({ isWriteable: false, commitBehindBytes: 5000 })!, "REFUSES MESSAGES  in the pool 5.0 kB")
    assert.include(line({ rates: null })!, "max 3.5 ms  unflushed 640 kB  read –/s")
    assert.isUndefined(line({ isLive: false }))
  })

  it("shows everything where there is no screen", () => {
    const streams = Array.from({ length: 50 }, (_, n) => stream({ streamId: n }))
    const sample = { ...both, driver: driver({ streams }) }
    const lines = Frame.lines(picture({ sample }), { columns: 80, rows: Infinity }, Style.plain)
    assert.lengthOf(lines, 1 + 4 + 50 + 1 + 5 + 2)
  })

  it("sorts by rate, by what is behind, by position or by name, and reversed", () => {
    const first = (view: Partial<View.View>): string => /^ +(100\d) /m.exec(text(viewed(view)))![1]!
    assert.strictEqual(first({ sort: "rate" }), "1002")
    assert.strictEqual(first({ sort: "behind" }), "1001")
    assert.strictEqual(first({ sort: "position" }), "1001")
    assert.strictEqual(first({ sort: "name" }), "1001")
    assert.strictEqual(first({ sort: "name", isReversed: true }), "1002")
    assert.include(text(viewed({ sort: "name", isReversed: true })), "by name, reversed")
  })

  it("shows clients and groups of consumers, errors, losses, and the keys instead of streams", () => {
    const clients = text(viewed({ table: "clients", sort: "behind" }))
    assert.match(clients, /^ 9223372036854775807 +15\.0 s client-heartbeat: 9223372036854775807$/m)
    assert.match(clients, /^audit +0\/s +4,000 +4 trades$\n^settlement/m)
    assert.match(text(viewed({ table: "errors" })), /^ +3 2026-11-30 12:31:04 unknown host$/m)
    assert.match(text(viewed({ table: "losses" })), /^ +2 +1\.4 kB 2026-11-30 12:31:05 +1002 10\.0\.0\.1:4000/m)
    assert.match(text(viewed({ showsHelp: true })), /^ {2}p, space +pause, and go on$/m)
    assert.include(text(viewed({ isPaused: true })), "PAUSED")
  })

  it("says in the place of what is gone what is wrong with it", () => {
    const gone = { directory: "/dev/shm/x", problem: "no media driver in /dev/shm/x: there is no CnC file" }
    const frame = text({ sample: { timeMs: TIME_MS, driver: gone, store: null } })
    assert.match(frame, /^driver \/dev\/shm\/x\n {2}no media driver in \/dev\/shm\/x: there is no CnC file$/m)
    const dead = text({ sample: { ...both, driver: driver({ heartbeatAgeMs: 61_000 }) } })
    assert.include(dead, "no sign of life for 1 min 01 s")
    assert.include(text({ sample: { ...both, driver: driver({ heartbeatAgeMs: null }) } }), "it has shut down")
    assert.include(text({ sample: { ...both, store: store({ isOpen: false }) } }), "closed")
  })

  it.effect("is the same text in colour", () =>
    Effect.gen(function* () {
      const coloured = Frame.lines(picture(), SMALL, yield* Style.current)
      assert.isTrue(coloured.some((line) => line.includes("\u001b[31m")))
      const uncoloured = coloured.map((line) => line.replaceAll(/\u001b\[\d*m/g, ""))
      assert.deepStrictEqual(uncoloured, Frame.lines(picture(), SMALL, Style.plain))
    }).pipe(
      Effect.provideService(TerminalCapabilities.TerminalCapabilities, {
        canColor: true,
        canAnimate: true,
        canPrompt: true
      })
    )
  )
})
