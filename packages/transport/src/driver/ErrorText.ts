/** What clients and the error log are told of something that was thrown. */
export const of = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))
