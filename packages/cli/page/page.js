/**
 * Draws what the server samples. Every text that comes from a driver or a store is put in as text, never as markup:
 * others chose it.
 */
import { bytes, duration, grouped, latency, rate, time } from "./format.js"
import { drawTable } from "./table.js"
import { drawFigures } from "./figures.js"

const LENGTH_MAX = 60
const HEARTBEAT_AGE_MAX_MS = 10_000
const DISK_USED_MAX = 0.85

/** The last rates of everything that is shown, by a name. */
let history = new Map()
let isPaused = false
let latest

const byId = (id) => document.getElementById(id)

const streamKey = ({ channel, sessionId, streamId }) => `stream ${sessionId} ${streamId} ${channel}`

const isThere = (part) => part !== null && part.problem === undefined

const ratesOf = ({ driver, store }) => [
  ...(isThere(driver)
    ? [
        ["sent", driver.rates?.bytesSent ?? null],
        ["received", driver.rates?.bytesReceived ?? null],
        ...driver.streams.map((stream) => [streamKey(stream), stream.bytesPerSecond])
      ]
    : []),
  ...(isThere(store)
    ? [
        ["put", store.messagesPerSecond],
        ["sync", store.writer?.lastSyncs?.maxMs ?? null],
        ...store.topics.map((topic) => [`topic ${topic.topic}`, topic.messagesPerSecond])
      ]
    : [])
]

const remember = (sample) => {
  history = new Map(
    ratesOf(sample).map(([key, value]) => {
      const line = history.get(key) ?? []
      return [key, value === null ? line : [...line, value].slice(-LENGTH_MAX)]
    })
  )
}

const line = (key) => history.get(key) ?? []

const STREAM_COLUMNS = [
  { title: "stream", value: (row) => row.streamId, isNumber: true, isHead: true },
  { title: "session", value: (row) => row.sessionId, isNumber: true },
  { title: "rate", value: (row) => row.bytesPerSecond, text: (row) => rate(row.bytesPerSecond), isNumber: true },
  { title: "history", line: (row) => line(streamKey(row)) },
  { title: "behind", value: (row) => row.behindBytes, text: (row) => bytes(row.behindBytes), isNumber: true },
  {
    title: "room",
    value: (row) => row.roomBytes,
    text: (row) => (row.roomBytes === null ? "–" : row.roomBytes === 0 ? "held" : bytes(row.roomBytes)),
    isBad: (row) => row.roomBytes === 0,
    isNumber: true
  },
  { title: "position", value: (row) => row.position, text: (row) => grouped(row.position), isNumber: true },
  {
    title: "lost",
    value: (row) => row.lostBytes,
    text: (row) => bytes(row.lostBytes),
    isBad: (row) => row.lostBytes > 0,
    isNumber: true
  },
  { title: "subscribers", value: (row) => row.subscribers.length, isNumber: true },
  { title: "channel", value: (row) => row.channel, isWide: true }
]

const CLIENT_COLUMNS = [
  { title: "client", value: (row) => String(row.clientId), isNumber: true, isHead: true },
  {
    title: "heartbeat",
    value: (row) => row.heartbeatAgeMs,
    text: (row) => `${duration(row.heartbeatAgeMs)} ago`,
    isBad: (row) => row.heartbeatAgeMs > HEARTBEAT_AGE_MAX_MS,
    isNumber: true
  },
  { title: "label", value: (row) => row.label, isWide: true }
]

const ERROR_COLUMNS = [
  { title: "times", value: (row) => row.count, isNumber: true, isHead: true },
  { title: "last", value: (row) => row.lastMs, text: (row) => time(row.lastMs) },
  { title: "error", value: (row) => row.text.split("\n")[0], isWide: true }
]

const LOSS_COLUMNS = [
  { title: "stream", value: (row) => row.streamId, isNumber: true, isHead: true },
  { title: "lost", value: (row) => row.lostBytes, text: (row) => bytes(row.lostBytes), isNumber: true },
  { title: "times", value: (row) => row.observationCount, isNumber: true },
  { title: "last", value: (row) => row.lastMs, text: (row) => time(row.lastMs) },
  { title: "source", value: (row) => row.source },
  { title: "channel", value: (row) => row.channel, isWide: true }
]

const plural = (value, noun) => `${grouped(value)} ${noun}${value === 1 ? "" : "s"}`

const count = (value) => (value === null ? "–" : grouped(value))

const TOPIC_COLUMNS = [
  { title: "topic", value: (row) => row.topic, isHead: true, isWide: true },
  { title: "queues", value: (row) => row.queues, isNumber: true },
  {
    title: "rate",
    value: (row) => row.messagesPerSecond,
    text: (row) => `${count(row.messagesPerSecond)}/s`,
    isNumber: true
  },
  { title: "history", line: (row) => line(`topic ${row.topic}`) },
  { title: "messages", value: (row) => row.messages, text: (row) => grouped(row.messages), isNumber: true },
  { title: "lag", value: (row) => row.lag, text: (row) => count(row.lag), isNumber: true }
]

const GROUP_COLUMNS = [
  { title: "group", value: (row) => row.group, isHead: true, isWide: true },
  { title: "topic", value: (row) => row.topic, isWide: true },
  { title: "lag", value: (row) => row.lag, text: (row) => grouped(row.lag), isNumber: true },
  {
    title: "rate",
    value: (row) => row.messagesPerSecond,
    text: (row) => `${count(row.messagesPerSecond)}/s`,
    isNumber: true
  },
  { title: "queues", value: (row) => row.queues, isNumber: true }
]

const lifeOf = ({ heartbeatAgeMs }) =>
  heartbeatAgeMs === null
    ? "it has shut down"
    : heartbeatAgeMs > HEARTBEAT_AGE_MAX_MS
      ? `no sign of life for ${duration(heartbeatAgeMs)}`
      : `heartbeat ${duration(heartbeatAgeMs)} ago`

const counted = (label, total, now = 0) => ({
  label,
  value: now > 0 ? `${grouped(total)} (${grouped(now)}/s)` : grouped(total),
  isBad: now > 0
})

const drawDriver = (section, driver) => {
  const { rates, totals } = driver
  const isDead = driver.heartbeatAgeMs === null || driver.heartbeatAgeMs > HEARTBEAT_AGE_MAX_MS
  section.querySelector(".about").textContent =
    `${driver.directory} · pid ${driver.pid} · CnC ${driver.cncVersion} · ${lifeOf(driver)}`
  section.querySelector(".about").classList.toggle("bad", isDead)
  drawFigures(section.querySelector(".figures"), [
    { label: "sent", value: rate(rates?.bytesSent ?? null), line: line("sent") },
    { label: "received", value: rate(rates?.bytesReceived ?? null), line: line("received") },
    counted("back pressure", totals.backPressureEvents, rates?.backPressureEvents),
    counted("NAKs", totals.naksSent + totals.naksReceived, (rates?.naksSent ?? 0) + (rates?.naksReceived ?? 0)),
    counted("sent again", totals.retransmits, rates?.retransmits),
    { label: "lost", value: bytes(driver.lostBytes), isBad: driver.lostBytes > 0 },
    { label: "errors", value: grouped(driver.errorCount), isBad: driver.errorCount > 0 },
    { label: "mapped", value: bytes(totals.bytesMapped) }
  ])
  const tables = section.querySelector(".tables")
  const draw = (name, columns, rows, total, options) => drawTable(tables, { name, columns, rows, total, ...options })
  draw("streams", STREAM_COLUMNS, driver.streams, driver.streamCount, { sort: "rate", isOpen: true })
  draw("clients", CLIENT_COLUMNS, driver.clients, driver.clientCount, { sort: "client" })
  draw("errors", ERROR_COLUMNS, driver.errors, driver.errorCount, { sort: "last" })
  draw("losses", LOSS_COLUMNS, driver.losses, driver.losses.length, { sort: "last" })
}

const behind = (ms) => (ms === null ? "never" : `${duration(ms)} behind`)

/** Slower, and the device is what the program waits for. */
const SYNC_MS_MAX = 1000

/** What only the process itself knows that has the store open. */
const writerFigures = ({ commitBehindBytes, dirtyBytes, isWriteable, lastSyncs, rates, refusals, waitingReaders }) => [
  {
    label: "sync p50 / p99",
    value: lastSyncs === null ? "–" : `${latency(lastSyncs.p50Ms)} / ${latency(lastSyncs.p99Ms)}`
  },
  {
    label: "longest sync",
    value: lastSyncs === null ? "–" : latency(lastSyncs.maxMs),
    line: line("sync"),
    isBad: lastSyncs !== null && lastSyncs.maxMs > SYNC_MS_MAX
  },
  { label: "syncs", value: `${count(rates?.syncs ?? null)}/s` },
  { label: "not flushed", value: bytes(dirtyBytes) },
  { label: "in the pool", value: bytes(commitBehindBytes) },
  { label: "read", value: `${count(rates?.getMessages ?? null)}/s` },
  { label: "waiting readers", value: grouped(waitingReaders) },
  isWriteable
    ? { label: "refused", value: grouped(refusals), isBad: refusals > 0 }
    : { label: "messages", value: "refused", isBad: true }
]

const holderOf = ({ isOpen, pid, writer }) => {
  if (!isOpen) {
    return "closed"
  }
  if (writer === null) {
    return `open, or left open${pid === null ? "" : `, in process ${pid}`}`
  }
  return writer.isLive
    ? `open in process ${writer.figures.pid}`
    : `left open by process ${writer.figures.pid}: no sign of life for ${duration(writer.heartbeatAgeMs)}`
}

const drawStore = (section, store) => {
  const isFull = store.totalBytes > 0 && 1 - store.freeBytes / store.totalBytes > DISK_USED_MAX
  const isLive = store.writer?.isLive === true
  section.querySelector(".about").textContent = `${store.directory} · ${holderOf(store)}`
  section.querySelector(".about").classList.toggle("bad", store.writer !== null && !isLive)
  drawFigures(section.querySelector(".figures"), [
    { label: "put", value: `${count(store.messagesPerSecond)}/s`, line: line("put") },
    { label: "bytes", value: rate(store.bytesPerSecond) },
    { label: "messages", value: grouped(store.messages) },
    { label: "dispatch", value: `${bytes(store.dispatchBehindBytes)} behind` },
    { label: "flush of the log", value: behind(store.flushBehindMs) },
    { label: "flush of queues", value: behind(store.queueFlushBehindMs) },
    { label: "log", value: `${bytes(store.maxPosition - store.minPosition)} in ${plural(store.logFiles, "file")}` },
    { label: "disk free", value: `${bytes(store.freeBytes)} of ${bytes(store.totalBytes)}`, isBad: isFull },
    ...(isLive ? writerFigures(store.writer) : [])
  ])
  const tables = section.querySelector(".tables")
  const draw = (name, columns, rows, total, options) => drawTable(tables, { name, columns, rows, total, ...options })
  draw("topics", TOPIC_COLUMNS, store.topics, store.topicCount, { sort: "rate", isOpen: true })
  draw("groups of consumers", GROUP_COLUMNS, store.groups, store.groupCount, { sort: "lag" })
}

const drawPart = (id, part, draw) => {
  const section = byId(id)
  section.hidden = part === null
  if (part === null) {
    return
  }
  const isGone = !isThere(part)
  for (const kind of [".figures", ".tables"]) {
    section.querySelector(kind).hidden = isGone
  }
  if (isGone) {
    const about = section.querySelector(".about")
    about.textContent = `${part.directory}: ${part.problem}`
    about.classList.add("bad")
    return
  }
  draw(section, part)
}

const draw = () => {
  if (latest !== undefined && !isPaused) {
    byId("time").textContent = `${new Date(latest.timeMs).toISOString().slice(0, 19).replace("T", " ")} UTC`
    drawPart("driver", latest.driver, drawDriver)
    drawPart("store", latest.store, drawStore)
  }
}

const showState = (kind, text) => {
  const state = byId("state")
  if (state.textContent !== text) {
    state.className = kind
    state.textContent = text
  }
}

const follow = () => {
  const source = new EventSource("/samples")
  // The server begins with the samples that it remembers.
  source.addEventListener("open", () => {
    history = new Map()
  })
  source.addEventListener("message", ({ data }) => {
    latest = JSON.parse(data)
    remember(latest)
    showState("live", "live")
    draw()
  })
  source.addEventListener("error", () => showState("lost", "no connection to millrace web; trying again"))
}

const togglePause = () => {
  isPaused = !isPaused
  byId("pause").setAttribute("aria-pressed", String(isPaused))
  draw()
}

byId("pause").addEventListener("click", togglePause)
document.addEventListener("keydown", ({ altKey, ctrlKey, key, metaKey, target }) => {
  const isTyped = target instanceof HTMLButtonElement && target.id === "pause"
  if (key === "p" && !altKey && !ctrlKey && !metaKey && !isTyped) {
    togglePause()
  }
})
document.addEventListener("millrace-sorted", draw)
follow()
