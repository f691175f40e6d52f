import { isIP } from "node:net"
import { hostname } from "node:os"

/** The name or address in a Host header, without port, brackets and final dot. */
const nameIn = (host: string): string =>
  host
    .toLowerCase()
    .replace(/:\d*$/, "")
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "")

/**
 * Whether a Host header names this service. A web page can have its own name resolve to this machine and then reads answers as
 * if they were its own (DNS rebinding); its requests carry that name. An address cannot be redirected like this.
 */
export const isKnownHost = (host: string | undefined, allowed: ReadonlyArray<string>): boolean => {
  // Browsers always send one.
  if (host === undefined) return true
  const name = nameIn(host)
  return (
    isIP(name) !== 0 ||
    name === "localhost" ||
    name.endsWith(".localhost") ||
    name === hostname().toLowerCase() ||
    allowed.some((each) => each.toLowerCase() === name)
  )
}
