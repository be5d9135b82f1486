/**
 * Builds the programs of the C client for others than the interop runs. Prints, as JSON, where the `driver` and the
 * `client` are, or why they are `missing`.
 */
import * as CPeer from "./CPeer.ts"

if (CPeer.missing === undefined) {
  CPeer.build()
}
const found =
  CPeer.missing === undefined ? { driver: CPeer.executable(), client: CPeer.program } : { missing: CPeer.missing }
process.stdout.write(`${JSON.stringify(found)}\n`)
