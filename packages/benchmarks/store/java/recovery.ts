/** Opening a store that was not closed, ours beside RocketMQ's. */
import { recoveries } from "./cases.shared.ts"

export default recoveries("recovery", "3 times theirs")
