/** Shown in counter labels. A release sets it together with the package's version. */
export const VERSION = "0.1.0"
