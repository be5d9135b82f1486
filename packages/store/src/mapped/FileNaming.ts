/**
 * A file of a mapped queue is named by the position of its first byte: 20 decimal digits, so that names sort by position.
 * Java formats the number by locale and so can write other digits; this one always writes ASCII.
 */
const NAME_LENGTH = 20

export const format = (position: number): string => String(position).padStart(NAME_LENGTH, "0")

/** The position that a name stands for, or -1 for a name that no mapped queue gives. */
export const parse = (name: string): number => {
  if (!/^\d{20}$/.test(name)) {
    return -1
  }
  const position = Number(name)
  return Number.isSafeInteger(position) ? position : -1
}

/** The first file of a queue whose first byte is at `position`: the multiple of the file length at or below it. */
export const startOf = (position: number, fileLength: number): number => position - (position % fileLength)
