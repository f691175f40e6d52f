import { isIPv6 } from "node:net"

/** Where a server that listens on `host` is reached on this machine. */
export const localHost = (host: string) => (host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host)

export const localUrl = (host: string, port: number) => {
  const name = localHost(host)
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}`
}
