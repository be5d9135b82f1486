/** A checker found what must not be. */
export class SimulationFailure extends Error {
  override readonly name = "SimulationFailure"
  readonly check: string

  constructor(check: string, detail: string) {
    super(`${check}: ${detail}`)
    this.check = check
  }
}

export const check = (holds: boolean, name: string, detail: () => string): void => {
  if (!holds) {
    throw new SimulationFailure(name, detail())
  }
}
