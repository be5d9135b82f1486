/** Builds the Java program for a version of RocketMQ, unless that has been done, and says how to run it. */
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { spawnSync } from "node:child_process"
import { join } from "node:path"

const directory = import.meta.dirname
const sources = join(directory, "src", "main", "java", "millrace", "interop")

/** Java 17 keeps these closed, and the store needs them to unmap its files. */
const OPENED = ["java.base/java.nio=ALL-UNNAMED", "java.base/jdk.internal.ref=ALL-UNNAMED"]

/** Arguments of `java` that run the program for a version. Throws with Maven's output where it cannot be built. */
export const commandOf = (version: string, home: string): ReadonlyArray<string> => {
  const target = join(directory, "target", version)
  const stamp = join(target, "stamp")
  const current = fingerprint()
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== current) {
    build(version)
    writeFileSync(stamp, current)
  }
  const classPath = [join(target, "classes"), readFileSync(join(target, "classpath"), "utf8").trim()].join(":")
  const opens = OPENED.flatMap((name) => ["--add-opens", name])
  return [`-Duser.home=${home}`, "-Xmx384m", ...opens, "-cp", classPath, "millrace.interop.StorePeer"]
}

const build = (version: string): void => {
  const arguments_ = ["-B", "-q", "-f", join(directory, "pom.xml"), `-Drocketmq.version=${version}`, "process-classes"]
  const { error, status, stderr, stdout } = spawnSync("mvn", arguments_, { encoding: "utf8" })
  if (status !== 0) {
    throw new Error(`Maven did not build the program for ${version}: ${error?.message ?? ""}\n${stdout}\n${stderr}`)
  }
}

const fingerprint = (): string => {
  const hash = createHash("sha256")
  for (const path of [
    join(directory, "..", "pom.xml"),
    join(directory, "pom.xml"),
    ...readdirSync(sources)
      .toSorted()
      .map((name) => join(sources, name))
  ]) {
    hash.update(readFileSync(path))
  }
  return hash.digest("hex")
}
