/** How the packets of a capture begin: the registered link types that this package reads. */

/** A protocol family of 32 bits in the byte order of the capturing machine. */
export const NULL = 0
export const ETHERNET = 1
/** An IPv4 or IPv6 packet. The one that we write. */
export const RAW = 101
/** A protocol family of 32 bits in network byte order. */
export const LOOP = 108
/** "Any" device of Linux. */
export const LINUX_COOKED = 113
export const IPV4 = 228
export const IPV6 = 229
/** "Any" device of Linux, newer form. */
export const LINUX_COOKED_2 = 276
