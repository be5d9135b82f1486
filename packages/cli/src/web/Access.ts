/**
 * Who may ask the page what. It listens on loopback alone, but a browser on this machine shows pages of strangers, and
 * such a page may have a name that it lets point to 127.0.0.1 (DNS rebinding): then the request has the stranger's name
 * in its Host header. Only our own names are answered, and only what reads.
 */
export const METHODS: ReadonlyArray<string> = ["GET", "HEAD"]

const HOSTS: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"])
const HTTP_PORT = 80

export interface Asked {
  readonly method: string
  readonly host: string | undefined
  readonly origin: string | undefined
  /** `Sec-Fetch-Site`: where the page that asks comes from, by the browser. */
  readonly site: string | undefined
}

export interface Refusal {
  readonly status: 400 | 403 | 405 | 421
  readonly text: string
}

const isOwnHost = (host: string, port: number): boolean => {
  const [, name = "", given] = /^(.*?)(?::(\d+))?$/.exec(host) ?? []
  return HOSTS.has(name.toLowerCase()) && (given === undefined ? HTTP_PORT : Number(given)) === port
}

const isOwnOrigin = (origin: string, port: number): boolean =>
  origin.startsWith("http://") && isOwnHost(origin.slice("http://".length), port)

/** Why a request is not answered; undefined where it is. */
export const refusal = ({ host, method, origin, site }: Asked, port: number): Refusal | undefined => {
  if (!METHODS.includes(method)) {
    return { status: 405, text: "this page only reads: GET and HEAD\n" }
  }
  if (host === undefined) {
    return { status: 400, text: "a request needs a Host\n" }
  }
  if (!isOwnHost(host, port)) {
    return {
      status: 421,
      text: "this page is asked by the name of this machine's loopback: 127.0.0.1, localhost or [::1]\n"
    }
  }
  if ((origin !== undefined && !isOwnOrigin(origin, port)) || (site !== undefined && !OWN_SITES.has(site))) {
    return { status: 403, text: "this page answers no other page\n" }
  }
  return undefined
}

/** `none`: who uses the browser has typed the address. */
const OWN_SITES: ReadonlySet<string> = new Set(["same-origin", "none"])

/** What a browser is told with every answer: nothing comes from elsewhere, nobody frames the page or reads it. */
export const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cache-control": "no-store"
}
