/** A name that was given a value, and what is said of one that was not taken as it is. */
export interface Assignment {
  /** A property or an environment variable. */
  readonly name: string
  readonly value: string
  /** Where it stands: `environment`, `command line`, or the path of a file. */
  readonly source: string
}

/** A value that was not taken as it is. */
export interface Warning extends Assignment {
  readonly message: string
}

export const invalid = (assignment: Assignment, allowed: string): Warning => ({
  ...assignment,
  message: `${assignment.name}=${assignment.value} is not valid: allowed is ${allowed}; the default is used`
})
