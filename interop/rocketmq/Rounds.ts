/** Ten rounds: ours writes, the real one goes on, and so forth; some of them are killed, idle or in the middle of puts. */
import { join } from "node:path"
import { History } from "./History.ts"
import type { Peers, Side, VersionOptions } from "./Peers.ts"
import { Relay, type Turn } from "./Relay.ts"
import { type Abilities, Script } from "./Script.ts"

type End = "close" | "kill" | "fire"

/** How the turns of a round end, ours and the real one's. */
const ROUNDS: ReadonlyArray<readonly [ours: End, real: End]> = [
  ["close", "close"],
  ["close", "close"],
  ["kill", "close"],
  ["close", "kill"],
  ["fire", "close"],
  ["close", "close"],
  ["close", "fire"],
  ["fire", "kill"],
  ["kill", "fire"],
  ["close", "close"]
]

const LONG_TIMES = 10
const MESSAGES_A_TURN = 25
const MESSAGES_UNDER_FIRE = 400

/** Small files, so that everything rolls. Both sides must have the same. */
export const config = {
  mappedFileSizeCommitLog: 16_384,
  mappedFileSizeConsumeQueue: 400,
  maxHashSlotNum: 500,
  maxIndexNum: 200
}

export const abilitiesOf = (version: string): Abilities => {
  const isOld = version.startsWith("4.")
  return { longTopics: !isOld, delayTopic: !isOld }
}

export const run = async (options: VersionOptions, peers: Peers): Promise<void> => {
  const { isLong, report, scratch, version } = options
  const times = isLong ? LONG_TIMES : 1
  const relay = new Relay({
    report,
    title: `rocketmq ${version} rounds`,
    directory: join(scratch, `rounds-${version}`),
    config: version.startsWith("4.") ? config : { ...config, enabledAppendPropCRC: true, forceVerifyPropCRC: true },
    history: new History()
  })
  const script = new Script(abilitiesOf(version), 1)
  const turn = async (side: Side, end: End, isFirst: boolean): Promise<void> => {
    const peer = end === "close" ? peers.lasting(side) : peers.spawn(side)
    const steps = isFirst ? script.everyKind() : script.mixture(MESSAGES_A_TURN)
    const messages = Array.from({ length: MESSAGES_UNDER_FIRE }, () => script.plain())
    const plan: Turn = { peer, steps, end: end === "close" ? "close" : "kill" }
    await relay.turn(end === "fire" ? { ...plan, underFire: { messages, answers: 30 } } : plan)
  }
  for (let round = 0; round < ROUNDS.length * times; round++) {
    const [ours, real] = ROUNDS[round % ROUNDS.length]!
    await turn("ours", ours, round === 0)
    await turn("real", real, round === 0)
  }
  await relay.turn({ peer: peers.lasting("ours"), steps: [], end: "close" })
}
