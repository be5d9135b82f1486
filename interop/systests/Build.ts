/** Builds Aeron's system tests of a checkout with Maven, beside this file, and runs a class of them. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"

const directory = import.meta.dirname
const target = join(directory, "target")
const EXECUTABLE = join(directory, "../../packages/cli/bin/millrace-driver")

const OPENED = ["java.base/jdk.internal.misc=ALL-UNNAMED", "java.base/java.util.zip=ALL-UNNAMED"]

/** As in the checkout's own build, and a driver may take its time on a machine that does other things. */
const PROPERTIES: Readonly<Record<string, string>> = {
  "aeron.test.system.aeronmd.path": EXECUTABLE,
  "aeron.driver.timeout": "30000",
  "aeron.timer.interval": "100ms",
  "aeron.dir.delete.on.start": "true",
  "aeron.term.buffer.sparse.file": "true",
  "aeron.perform.storage.checks": "false",
  "aeron.shared.idle.strategy": "yield",
  "aeron.conductor.idle.strategy": "yield",
  "aeron.sender.idle.strategy": "yield",
  "aeron.receiver.idle.strategy": "yield",
  "aeron.fallback.logger": "no_op",
  "agrona.strict.alignment.checks": "true",
  "java.net.preferIPv4Stack": "true",
  "java.util.logging.config.class": "io.aeron.test.DisableJavaUtilLogging",
  "net.bytebuddy.experimental": "true",
  "net.bytebuddy.safe": "true"
}

/**
 * The tests have limits of some seconds, for a machine that does nothing else. Under a debugger they have none, and
 * JUnit's own limit takes their place.
 */
const DEBUGGER = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,quiet=y,address=127.0.0.1:0"
const TEST_LIMIT = [
  "--config=junit.jupiter.execution.timeout.mode=enabled",
  "--config=junit.jupiter.execution.timeout.testable.method.default=90s"
]
const CLASS_LIMIT_MS = 20 * 60 * 1000

export const build = (source: string): void => {
  const goals = ["-q", "-B", "-f", join(directory, "pom.xml"), `-Daeron.source=${source}`, "test-compile"]
  const { error, status, stderr, stdout } = spawnSync("mvn", goals, { encoding: "utf8" })
  if (status !== 0) {
    throw new Error(`Maven did not build the tests of ${source}: ${error?.message ?? ""}\n${stdout}\n${stderr}`)
  }
}

const jvmOptions = (): ReadonlyArray<string> => {
  const libraries = join(target, "lib")
  const agent = readdirSync(libraries).find((name) => name.startsWith("mockito-core-"))!
  return [
    ...OPENED.flatMap((name) => ["--add-opens", name]),
    `-javaagent:${join(libraries, agent)}`,
    DEBUGGER,
    "-Xmx2g",
    "-XX:MaxDirectMemorySize=2g",
    ...Object.entries(PROPERTIES).map(([name, value]) => `-D${name}=${value}`),
    "-cp",
    [join(target, "classes"), join(target, "test-classes"), join(libraries, "*")].join(":")
  ]
}

/** Runs a class, and returns the file that tells of its tests. */
export const run = async (className: string): Promise<string> => {
  const reports = join(target, "reports", className)
  rmSync(reports, { recursive: true, force: true })
  mkdirSync(reports, { recursive: true })
  const selection = [`--select-class=${className}`, "--include-classname=.*", `--reports-dir=${reports}`]
  const launcher = ["org.junit.platform.console.ConsoleLauncher", "execute", ...selection, ...TEST_LIMIT]
  const child = spawn("java", [...jvmOptions(), ...launcher], {
    // The tests leave files in the directory that they run in.
    cwd: reports,
    stdio: "ignore",
    timeout: CLASS_LIMIT_MS,
    killSignal: "SIGKILL"
  })
  await once(child, "close")
  return join(reports, "TEST-junit-jupiter.xml")
}
