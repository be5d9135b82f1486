/**
 * Assertions stay on in production. They state programmer errors, one fact each, with a static message: a template
 * string costs seven times the check itself (27 ns against 4 ns a frame in a 64 KiB term scan).
 */
export class AssertionError extends Error {
  override readonly name = "AssertionError"
}

export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) {
    throw new AssertionError(message)
  }
}
