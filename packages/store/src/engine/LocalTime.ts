/** Time as the store's place has it: for names of index files and for the hour of cleaning. */
export interface LocalTime {
  epochMs(): number
  /** Hour of the day, 0 to 23. */
  hour(): number
  /** yyyyMMddHHmmssSSS. */
  stamp(): string
}
