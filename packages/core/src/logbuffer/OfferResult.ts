/** What appending answers instead of a position. Every position is 0 or more, so a caller tests the sign once. */

/** No subscriber is there. */
export const NOT_CONNECTED = -1
/** Subscribers are there and slower: the position limit is reached. */
export const BACK_PRESSURED = -2
/** The log was rotated, or is being rotated: the same call again goes on in the next term. */
export const ADMIN_ACTION = -3
/** The publication is closed, by its owner or by the driver. */
export const CLOSED = -4
/** The stream reached its last position. Only a new stream can carry on. */
export const MAX_POSITION_EXCEEDED = -5
