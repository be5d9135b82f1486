/** A message of a stream as a line of output: its bytes as they are, in hex, or with its place as JSON. */
import * as Text from "./Text.ts"

/** `place` says in JSON where the message comes from. */
export type Format = (message: Uint8Array, place: () => object) => Uint8Array

const LINE_FEED = Buffer.from("\n")

const formats = {
  text: (message) => Buffer.concat([message, LINE_FEED]),
  hex: (message) => Buffer.from(`${Buffer.from(message).toString("hex")}\n`),
  json: (message, place) => {
    const text = Text.fromUtf8(message)
    const content = text === undefined ? { base64: Buffer.from(message).toString("base64") } : { text }
    return Buffer.from(`${JSON.stringify({ ...place(), ...content })}\n`)
  }
} satisfies Record<string, Format>

export const formatOf = ({ hex, json }: { readonly hex: boolean; readonly json: boolean }): Format => {
  if (json) {
    return formats.json
  }
  return hex ? formats.hex : formats.text
}
