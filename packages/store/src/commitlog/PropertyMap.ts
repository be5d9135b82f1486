/**
 * The properties of a message as a map of texts. A pair at a time is made text of, from the bytes: the text of all of them
 * together would be taken apart again.
 */
import { assert } from "@millrace/core/kernel/memory/Assert"
import { NAME_SEPARATOR, PROPERTY_SEPARATOR } from "./MessageProperties.ts"
import * as NameTable from "./NameTable.ts"
import * as Utf8 from "./Utf8.ts"

/** What `decode` makes: any name is only a name. Objects that are made without a prototype V8 keeps as hash tables. */
class Properties {
  [name: string]: string
}
Object.setPrototypeOf(Properties.prototype, null)
Reflect.deleteProperty(Properties.prototype, "constructor")

/** All pairs of `memory[start..end)`. */
export const decode = (memory: NameTable.Memory, start: number, end: number): Record<string, string> => {
  const { bytes } = memory
  assert(end <= bytes.length, "properties that reach outside their memory")
  const properties = new Properties()
  let name = NameTable.NONE
  for (let at = start; at < end;) {
    const known = NameTable.expected(name, memory, at, end)
    const separator = known === NameTable.NONE ? nameEnd(bytes, at, end) : at + NameTable.lengthAt(known)
    const stop = valueEnd(memory, separator, end)
    if (separator > at && stop > separator + 1) {
      name = known === NameTable.NONE ? NameTable.learn(name, bytes, at, separator) : known
      const text = name === NameTable.NONE ? Utf8.decode(bytes, at, separator) : NameTable.textAt(name)
      properties[text] = Utf8.decode(bytes, separator + 1, stop)
    }
    at = stop + 1
  }
  return properties
}

/** Where the first of the two separators stands, or the end. */
const nameEnd = (bytes: Uint8Array, start: number, end: number): number => {
  let at = start
  while (at < end && bytes[at] !== NAME_SEPARATOR && bytes[at] !== PROPERTY_SEPARATOR) {
    at++
  }
  return at
}

const ONES = 0x01010101
const HIGH_BITS = 0x80808080 | 0
const PROPERTY_SEPARATORS = PROPERTY_SEPARATOR * ONES

/** Where the next pair's separator stands, or the end: four bytes at a time, none of which is it while no difference is 0. */
const valueEnd = ({ bytes, view }: NameTable.Memory, start: number, end: number): number => {
  let at = start
  while (at + 4 <= end) {
    const differences = view.getInt32(at) ^ PROPERTY_SEPARATORS
    if (((differences - ONES) & ~differences & HIGH_BITS) !== 0) {
      break
    }
    at += 4
  }
  while (at < end && bytes[at] !== PROPERTY_SEPARATOR) {
    at++
  }
  return at
}
