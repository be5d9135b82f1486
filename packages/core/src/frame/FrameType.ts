/** What a frame is: the unsigned 16-bit field at byte 6 of its header. */

/** Fills the rest of a term, or the place of a claim that was given up. Never delivered. */
export const PAD = 0x00
/** A message or a fragment of one; with frame length 0 a heartbeat. */
export const DATA = 0x01
/** A receiver asks for a lost range again. */
export const NAK = 0x02
/** Status message: what a receiver has consumed and how much more it takes. */
export const SM = 0x03
/** A receiver rejects the stream and says why. */
export const ERR = 0x04
/** What a receiver needs to know before data: term length, MTU, initial and active term. */
export const SETUP = 0x05
/** Round trip time measurement: a request, or with the reply to it. */
export const RTTM = 0x06
/** Name resolution entries that drivers gossip. */
export const RES = 0x07
/** Data of the premium encrypted transport. Open drivers count it as an invalid packet. */
export const ATS_DATA = 0x08
/** A responder tells which of its sessions answers a request stream. */
export const RSP_SETUP = 0x0b
/** Reserved for extensions. */
export const EXT = 0xffff

/** Whether this package describes frames of this type. */
export const isKnown = (type: number): boolean => (type >= PAD && type <= RES) || type === RSP_SETUP
