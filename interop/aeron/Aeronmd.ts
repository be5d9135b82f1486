/**
 * `millrace-driver` and `aeronmd` given the same: what they make of variables, as both print it; how they end; and what
 * they say to a command line that is wrong.
 */
import { once } from "node:events"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { type ChildProcess, spawn } from "node:child_process"
import { setTimeout } from "node:timers/promises"
import type { Context } from "../Part.ts"
import * as CPeer from "./CPeer.ts"
import { check, sharedMemory } from "./Streams.ts"

const OURS = join(import.meta.dirname, "../../packages/cli/bin/millrace-driver")

type Names = Readonly<Record<string, string>>

/** What `aeronmd` prints, by the name that the option has everywhere else. */
const PRINTED_BY_C: Names = {
  driver_timeout_ms: "aeron.driver.timeout",
  dirs_delete_on_start: "aeron.dir.delete.on.start",
  dirs_delete_on_shutdown: "aeron.dir.delete.on.shutdown",
  warn_if_dirs_exists: "aeron.dir.warn.if.exists",
  term_buffer_sparse_file: "aeron.term.buffer.sparse.file",
  perform_storage_checks: "aeron.perform.storage.checks",
  spies_simulate_connection: "aeron.spies.simulate.connection",
  reliable_stream: "aeron.reliable.stream",
  tether_subscriptions: "aeron.tether.subscriptions",
  rejoin_stream: "aeron.rejoin.stream",
  to_driver_buffer_length: "aeron.conductor.buffer.length",
  to_clients_buffer_length: "aeron.clients.buffer.length",
  counters_values_buffer_length: "aeron.counters.buffer.length",
  error_buffer_length: "aeron.error.buffer.length",
  timer_interval_ns: "aeron.timer.interval",
  client_liveness_timeout_ns: "aeron.client.liveness.timeout",
  image_liveness_timeout_ns: "aeron.image.liveness.timeout",
  publication_unblock_timeout_ns: "aeron.publication.unblock.timeout",
  publication_connection_timeout_ns: "aeron.publication.connection.timeout",
  publication_linger_timeout_ns: "aeron.publication.linger.timeout",
  untethered_window_limit_timeout_ns: "aeron.untethered.window.limit.timeout",
  untethered_resting_timeout_ns: "aeron.untethered.resting.timeout",
  max_resend: "aeron.max.resend",
  retransmit_unicast_delay_ns: "aeron.retransmit.unicast.delay",
  retransmit_unicast_linger_ns: "aeron.retransmit.unicast.linger",
  nak_unicast_delay_ns: "aeron.nak.unicast.delay",
  nak_unicast_retry_delay_ratio: "aeron.nak.unicast.retry.delay.ratio",
  unicast_flow_control_rrwm: "aeron.unicast.flow.control.rrwm",
  multicast_flow_control_rrwm: "aeron.multicast.flow.control.rrwm",
  status_message_timeout_ns: "aeron.rcv.status.message.timeout",
  counter_free_to_reuse_ns: "aeron.counters.free.to.reuse.timeout",
  conductor_cycle_threshold_ns: "aeron.driver.conductor.cycle.threshold",
  sender_cycle_threshold_ns: "aeron.driver.sender.cycle.threshold",
  receiver_cycle_threshold_ns: "aeron.driver.receiver.cycle.threshold",
  name_resolver_threshold_ns: "aeron.driver.name.resolver.threshold",
  term_buffer_length: "aeron.term.buffer.length",
  ipc_term_buffer_length: "aeron.ipc.term.buffer.length",
  publication_window_length: "aeron.publication.term.window.length",
  ipc_publication_window_length: "aeron.ipc.publication.term.window.length",
  initial_window_length: "aeron.rcv.initial.window.length",
  socket_sndbuf_length: "aeron.socket.so_sndbuf",
  socket_rcvbuf_length: "aeron.socket.so_rcvbuf",
  mtu_length: "aeron.mtu.length",
  ipc_mtu_length: "aeron.ipc.mtu.length",
  file_page_size: "aeron.file.page.size",
  low_file_store_warning_threshold: "aeron.low.file.store.warning.threshold",
  publication_reserved_session_id_low: "aeron.publication.reserved.session.id.low",
  publication_reserved_session_id_high: "aeron.publication.reserved.session.id.high",
  loss_report_length: "aeron.loss.report.buffer.length",
  send_to_sm_poll_ratio: "aeron.send.to.status.poll.ratio",
  network_publication_max_messages_per_send: "aeron.network.publication.max.messages.per.send",
  resource_free_limit: "aeron.driver.resource.free.limit",
  "flow_control.group_tag": "aeron.flow.control.group.tag",
  "flow_control.group_min_size": "aeron.flow.control.group.min.size",
  flow_control_receiver_timeout_ns: "aeron.flow.control.receiver.timeout",
  resolver_name: "aeron.driver.resolver.name",
  resolver_interface: "aeron.driver.resolver.interface",
  resolver_bootstrap_neighbor: "aeron.driver.resolver.bootstrap.neighbor",
  re_resolution_check_interval_ns: "aeron.driver.reresolution.check.interval",
  stream_session_limit: "aeron.driver.stream.session.limit"
}

const NS: Readonly<Record<string, number>> = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 }

/** Numbers; durations in nanoseconds; flags as 0 and 1. */
const valueOf = (text: string, scale = 1): string | number => {
  const duration = /^(\d+)(ns|us|ms|s)$/.exec(text)
  if (duration !== null) {
    return Number(duration[1]) * NS[duration[2]!]!
  }
  const flag = { true: 1, false: 0 }[text]
  return flag ?? (/^-?\d+$/.test(text) ? Number(text) * scale : text)
}

type Values = Readonly<Record<string, string | number>>

const printedByC = (output: string): Values =>
  Object.fromEntries(
    [...output.matchAll(/^ {4}([\w.]+)=(.*)$/gm)].flatMap(([, name, text]) => {
      const option = PRINTED_BY_C[name!]
      return option === undefined ? [] : [[option, valueOf(text!, name!.endsWith("_ms") ? NS["ms"] : 1)]]
    })
  )

const printedByOurs = (output: string): Values => {
  const options = new Set(Object.values(PRINTED_BY_C))
  return Object.fromEntries(
    [...output.matchAll(/^([\w.]+)=(.*)$/gm)].flatMap(([, name, text]) =>
      options.has(name!) ? [[name, valueOf(text!)]] : []
    )
  )
}

interface Driver {
  /** What is removed when it is gone: its own directory lies there, if it was not given another's. */
  readonly root: string
  readonly directory: string
  readonly pid: number
  readonly kill: (signal: NodeJS.Signals) => void
  readonly ended: Promise<unknown>
  readonly stdout: () => string
  readonly stderr: () => string
}

const started = new Set<ChildProcess>()
process.once("exit", () => started.forEach((child) => child.kill("SIGKILL")))

const startDriver = (executable: string, variables: Names, args: ReadonlyArray<string> = []): Driver => {
  const root = mkdtempSync(join(sharedMemory(), "millrace-interop-"))
  const env = { PATH: process.env["PATH"], AERON_DIR: join(root, "aeron"), ...variables }
  const child = spawn(executable, args, { env, stdio: ["ignore", "pipe", "pipe"] })
  const printed = { stdout: "", stderr: "" }
  child.stdout.on("data", (chunk: Buffer) => (printed.stdout += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => (printed.stderr += chunk.toString()))
  started.add(child)
  return {
    root,
    directory: env.AERON_DIR,
    pid: child.pid!,
    kill: (signal) => child.kill(signal),
    ended: once(child, "close").then(([code]) => code as unknown),
    stdout: () => printed.stdout,
    stderr: () => printed.stderr
  }
}

const remove = ({ kill, root }: Driver): void => {
  kill("SIGKILL")
  rmSync(root, { recursive: true, force: true })
}

const PATIENCE_MS = 60_000

const until = async (what: string, isSo: () => boolean): Promise<void> => {
  for (const deadlineMs = Date.now() + PATIENCE_MS; !isSo(); await setTimeout(20)) {
    if (Date.now() > deadlineMs) {
      throw new Error(`within ${PATIENCE_MS} ms it was not so that ${what}`)
    }
  }
}

const variableOf = (option: string): string => option.toUpperCase().replaceAll(".", "_")

/** What both make of options: those that are printed by both, and whether standard error was empty. */
const concluded = async (options: Names): Promise<{ readonly c: Values; readonly ours: Values }> => {
  const variables = Object.fromEntries(
    Object.entries({ ...options, "aeron.print.configuration": "true" }).map(([name, value]) => [
      variableOf(name),
      value
    ])
  )
  const drivers = [CPeer.executable(), OURS].map((executable) => startDriver(executable, variables))
  try {
    for (const { directory } of drivers) {
      await until("there is a driver", () => existsSync(join(directory, "cnc.dat")))
    }
    drivers.forEach(({ kill }) => kill("SIGTERM"))
    await Promise.all(drivers.map(({ ended }) => ended))
    const [c, ours] = drivers as [Driver, Driver]
    return {
      c: { ...printedByC(c.stdout()), "standard error": c.stderr() === "" ? "empty" : "warnings" },
      ours: { ...printedByOurs(ours.stdout()), "standard error": ours.stderr() === "" ? "empty" : "warnings" }
    }
  } finally {
    drivers.forEach(remove)
  }
}

/** Ours begins otherwise by choice, and says so in its table of options. */
const BEGINS_OTHERWISE: Values = {
  "aeron.term.buffer.sparse.file": 0,
  "aeron.network.publication.max.messages.per.send": 64,
  "aeron.driver.resource.free.limit": 1
}

const SET: Names = {
  "aeron.driver.timeout": "7000",
  "aeron.dir.delete.on.start": "true",
  "aeron.dir.delete.on.shutdown": "1",
  "aeron.dir.warn.if.exists": "on",
  "aeron.term.buffer.sparse.file": "0",
  "aeron.perform.storage.checks": "false",
  "aeron.spies.simulate.connection": "true",
  "aeron.reliable.stream": "false",
  "aeron.tether.subscriptions": "off",
  "aeron.rejoin.stream": "false",
  "aeron.conductor.buffer.length": "2097920",
  "aeron.clients.buffer.length": "2097280",
  "aeron.counters.buffer.length": "2m",
  "aeron.error.buffer.length": "8m",
  "aeron.timer.interval": "500ms",
  "aeron.client.liveness.timeout": "20s",
  "aeron.image.liveness.timeout": "11s",
  "aeron.publication.unblock.timeout": "25000000000",
  "aeron.publication.connection.timeout": "6s",
  "aeron.publication.linger.timeout": "3s",
  "aeron.untethered.window.limit.timeout": "4s",
  "aeron.untethered.resting.timeout": "9s",
  "aeron.max.resend": "32",
  "aeron.retransmit.unicast.delay": "1us",
  "aeron.retransmit.unicast.linger": "20ms",
  "aeron.nak.unicast.delay": "2us",
  "aeron.nak.unicast.retry.delay.ratio": "50",
  "aeron.rcv.status.message.timeout": "100ms",
  "aeron.counters.free.to.reuse.timeout": "2s",
  "aeron.driver.conductor.cycle.threshold": "1s",
  "aeron.driver.sender.cycle.threshold": "2s",
  "aeron.driver.receiver.cycle.threshold": "3s",
  "aeron.driver.name.resolver.threshold": "4s",
  "aeron.term.buffer.length": "64k",
  "aeron.ipc.term.buffer.length": "1m",
  "aeron.publication.term.window.length": "32k",
  "aeron.ipc.publication.term.window.length": "48k",
  "aeron.rcv.initial.window.length": "64k",
  "aeron.socket.so_sndbuf": "128k",
  "aeron.socket.so_rcvbuf": "128k",
  "aeron.mtu.length": "8k",
  "aeron.ipc.mtu.length": "4k",
  "aeron.file.page.size": "8k",
  "aeron.low.file.store.warning.threshold": "1g",
  "aeron.publication.reserved.session.id.low": "-100",
  "aeron.publication.reserved.session.id.high": "100",
  "aeron.loss.report.buffer.length": "2m",
  "aeron.send.to.status.poll.ratio": "10",
  "aeron.network.publication.max.messages.per.send": "8",
  "aeron.driver.resource.free.limit": "20",
  "aeron.flow.control.group.tag": "77",
  "aeron.flow.control.group.min.size": "3",
  "aeron.flow.control.receiver.timeout": "8s",
  "aeron.driver.resolver.name": "a-name",
  "aeron.driver.reresolution.check.interval": "3s",
  "aeron.driver.stream.session.limit": "100"
}

/** None of these is a value of its option, or it is beyond its limits. */
const WRONG: Names = {
  "aeron.driver.timeout": "x",
  "aeron.dir.warn.if.exists": "maybe",
  "aeron.timer.interval": "x",
  "aeron.client.liveness.timeout": "1x",
  "aeron.max.resend": "1000",
  "aeron.file.page.size": "1",
  "aeron.send.to.status.poll.ratio": "0",
  "aeron.driver.stream.session.limit": "0",
  "aeron.publication.linger.timeout": "-5",
  "aeron.loss.report.buffer.length": "10",
  "aeron.nak.unicast.retry.delay.ratio": "-3",
  "aeron.flow.control.group.min.size": "-1",
  "aeron.driver.resource.free.limit": "0"
}

const compareOptions = async ({ report }: Context): Promise<void> => {
  for (const [title, options, otherwise] of [
    ["no variable", {}, BEGINS_OTHERWISE],
    [`${Object.keys(SET).length} variables`, SET, {}],
    ["variables with wrong values", WRONG, { ...BEGINS_OTHERWISE }]
  ] as const) {
    const { c, ours } = await concluded(options)
    const value = { ...c, ...otherwise }
    report.equal(
      `${title}: options as both drivers print them`,
      { name: "millrace-driver", value: ours },
      { name: "aeronmd", value }
    )
  }
}

interface Ending {
  readonly code: unknown
  readonly stderr: string
  readonly isDirectoryThere: boolean
}

const endingOf = async (
  executable: string,
  variables: Names,
  end: (driver: Driver) => Promise<unknown>
): Promise<Ending> => {
  const driver = startDriver(executable, { AERON_DRIVER_TERMINATION_VALIDATOR: "allow", ...variables })
  try {
    await until("there is a driver", () => existsSync(join(driver.directory, "cnc.dat")))
    // Its file is there before it listens to signals.
    await CPeer.sample("DriverTool", ["-d", driver.directory, "-P", "-t", String(PATIENCE_MS)]).end(`${driver.pid}\n`)
    await end(driver)
    const code = await driver.ended
    return { code, stderr: driver.stderr(), isDirectoryThere: existsSync(driver.directory) }
  } finally {
    remove(driver)
  }
}

const terminate = ({ directory }: Driver): Promise<void> => CPeer.sample("DriverTool", ["-d", directory, "-T"]).end("")

const compareEndings = async ({ report }: Context): Promise<void> => {
  for (const [title, end] of [
    ["SIGINT", async ({ kill }: Driver) => kill("SIGINT")],
    ["SIGTERM", async ({ kill }: Driver) => kill("SIGTERM")],
    ["DriverTool", terminate]
  ] as const) {
    for (const isDeleted of ["true", "false"]) {
      const variables = { AERON_DIR_DELETE_ON_SHUTDOWN: isDeleted }
      report.equal(
        `ended by ${title}, AERON_DIR_DELETE_ON_SHUTDOWN=${isDeleted}: exit code, standard error, directory`,
        { name: "millrace-driver", value: await endingOf(OURS, variables, end) },
        { name: "aeronmd", value: await endingOf(CPeer.executable(), variables, end) }
      )
    }
  }
}

/** A driver in a directory of another, or with a command line that is wrong, ends; by which code is its own matter. */
const compareRefusals = async ({ report }: Context): Promise<void> => {
  const codeOf = async (executable: string, variables: Names, args: ReadonlyArray<string>): Promise<unknown> => {
    const driver = startDriver(executable, variables, args)
    try {
      const code = await driver.ended
      return { isDone: code === 0, saysSo: driver.stderr() !== "" }
    } finally {
      remove(driver)
    }
  }
  const living = startDriver(OURS, {})
  const livingOfC = startDriver(CPeer.executable(), {})
  try {
    for (const { directory } of [living, livingOfC]) {
      await until("there is a driver", () => existsSync(join(directory, "cnc.dat")))
    }
    for (const [title, variables, args] of [
      ["-v", {}, ["-v"]],
      ["an unknown flag", {}, ["-x"]],
      ["-D without a value", {}, ["-Dfoo"]],
      ["a file that is not there", {}, ["/no/such/file"]],
      ["the directory of a living millrace-driver", { AERON_DIR: living.directory }, []],
      ["the directory of a living aeronmd", { AERON_DIR: livingOfC.directory }, []]
    ] as const) {
      report.equal(
        `given ${title}: whether it ends well, and whether it speaks on standard error`,
        { name: "millrace-driver", value: await codeOf(OURS, variables, args) },
        { name: "aeronmd", value: await codeOf(CPeer.executable(), variables, args) }
      )
    }
  } finally {
    remove(living)
    remove(livingOfC)
  }
}

export const run = async (context: Context): Promise<void> => {
  await check(context, "both drivers print their options", () => compareOptions(context))
  await check(context, "both drivers are ended", () => compareEndings(context))
  await check(context, "both drivers refuse", () => compareRefusals(context))
}
