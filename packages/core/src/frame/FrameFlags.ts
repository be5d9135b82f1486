/** The bits of the flags byte (byte 5 of a header). Their meaning depends on the frame's type. */

/** DATA: first fragment of a message. */
export const BEGIN = 0x80
/** DATA: last fragment of a message. */
export const END = 0x40
/** DATA: a whole message in one frame. Heartbeats and PAD frames carry it too. */
export const UNFRAGMENTED = BEGIN | END
/** DATA heartbeat: the stream ends at this position. */
export const EOS = 0x20
/** DATA heartbeat: the publication was revoked, what is not delivered yet never will be. */
export const REVOKED = 0x10

/** SM: the receiver has no setup of this stream and asks for one. */
export const SM_SETUP = 0x80
/** SM: the receiver is leaving; flow control forgets it at once. */
export const SM_EOS = 0x40

/** ERR: the group tag field means something. */
export const ERR_HAS_GROUP_TAG = 0x08

/** SETUP: the publisher waits for a response channel and asks the receiver for RSP_SETUP. */
export const SETUP_SEND_RESPONSE = 0x80
/** SETUP: the publisher treats its receivers as a group, so they must delay their NAKs. */
export const SETUP_GROUP = 0x40

/** RTTM: a request; the receiver of it echoes the frame without this bit. */
export const RTTM_REPLY = 0x80

/** RES: the entry describes the driver that sends it, so its address is where the frame came from. */
export const RES_SELF = 0x80

/** True when every bit of `mask` is set in `flags`. */
export const has = (flags: number, mask: number): boolean => (flags & mask) === mask
