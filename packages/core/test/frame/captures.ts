/** The datagrams of real drivers in `fixtures/aeron/wire`, and what Wireshark and Aeron read from them. */
import { readdirSync, readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"

export type Pairs = ReadonlyArray<readonly [name: string, text: string]>

export interface CapturedDatagram {
  readonly run: string
  readonly n: number
  readonly us: number
  readonly to: string
  readonly payload: Uint8Array
  readonly wireshark: Pairs
  readonly aeron: Pairs
}

interface Line {
  readonly n: number
  readonly us: number
  readonly to: string
  readonly payload: string
  readonly wireshark: Pairs
  readonly aeron?: Pairs
}

const FOLDER = new URL("../fixtures/aeron/wire/", import.meta.url)
const EXTENSION = ".ndjson.gz"

export const runs: ReadonlyArray<string> = readdirSync(FOLDER)
  .filter((name) => name.endsWith(EXTENSION))
  .map((name) => name.slice(0, -EXTENSION.length))
  .toSorted()

export const readRun = (run: string): ReadonlyArray<CapturedDatagram> =>
  gunzipSync(readFileSync(new URL(run + EXTENSION, FOLDER)))
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((text) => {
      const { n, us, to, payload, wireshark, aeron = [] }: Line = JSON.parse(text)
      return { run, n, us, to, payload: Uint8Array.from(Buffer.from(payload, "hex")), wireshark, aeron }
    })

export const readAll = (): ReadonlyArray<CapturedDatagram> => runs.flatMap(readRun)
