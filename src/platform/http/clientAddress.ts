import { BlockList, isIP, SocketAddress } from "node:net"
import { Effect } from "effect"
import { Configuration } from "../config/Configuration.ts"
import { httpTrustedProxies } from "../config/settings.ts"

const mapped = "::ffff:"

/** The canonical form of an address, without its zone; undefined for other text. */
const canonical = (text: string): string | undefined => {
  const family = isIP(text)
  if (family !== 6) return family === 4 ? text : undefined
  const { address } = new SocketAddress({ address: text, family: "ipv6" })
  return address.startsWith(mapped) && address.includes(".") ? address.slice(mapped.length) : address
}

/** Some proxies include the port: `192.0.2.1:1234`, `[2001:db8::1]:1234`. */
const withPort = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/

/** Longer than any address with zone, brackets and port. */
const longestHop = 100

const readHop = (text: string): string | undefined => {
  const hop = text.trim()
  if (hop.length > longestHop) return undefined
  const [, bracketed, plain] = withPort.exec(hop) ?? []
  if (bracketed !== undefined) return bracketed.includes(":") ? canonical(bracketed) : undefined
  return canonical(plain ?? hop)
}

const familyOf = (address: string) => (address.includes(":") ? "ipv6" : "ipv4")

/** Parses the setting `http.trusted-proxies`. */
export const trustedProxies = (networks: ReadonlyArray<string>): BlockList => {
  const list = new BlockList()
  for (const network of networks) {
    const [given = "", bits] = network.split("/")
    const address = canonical(given) ?? given
    const family = familyOf(address)
    // Written as IPv6 with an IPv6 prefix length, but compared as IPv4.
    const isMapped = family === "ipv4" && given.includes(":")
    if (bits === undefined) list.addAddress(address, family)
    else if (isMapped && Number(bits) < 96) list.addSubnet(given, Number(bits), "ipv6")
    else list.addSubnet(address, Number(bits) - (isMapped ? 96 : 0), family)
  }
  return list
}

/** The right-most hop that is not a trusted proxy; clients can forge everything before it. */
const lastUntrusted = (peer: string, forwardedFor: string, trusted: BlockList): string => {
  let client = peer
  let end = forwardedFor.length
  while (end >= 0 && trusted.check(client, familyOf(client))) {
    const comma = end === 0 ? -1 : forwardedFor.lastIndexOf(",", end - 1)
    const hop = readHop(forwardedFor.slice(comma + 1, end))
    if (hop === undefined) break
    client = hop
    end = comma
  }
  return client
}

/** A provider assigns a whole /64 to one customer, who would otherwise be a new client with every address. */
const first64 = (address: string): string => {
  const [left = "", right] = address.split("::")
  const groups = left === "" ? [] : left.split(":")
  const behind = right === undefined || right === "" ? [] : right.split(":")
  const missing = right === undefined ? 0 : 8 - groups.length - behind.length - (right.includes(".") ? 1 : 0)
  const all = [...groups, ...Array.from({ length: missing }, () => "0"), ...behind]
  return `${all.slice(0, 4).join(":")}::/64`
}

/** The socket has no address: all such clients share one limit. */
const unknownAddress = "unknown"

/**
 * The address that per-address limits count: an IPv4 address, or the /64 of an IPv6 address (`::1` stays as it is).
 * `peer` is the other end of the socket; `X-Forwarded-For` is trusted only as far as trusted proxies wrote it.
 */
export const clientAddress = (
  peer: string | undefined,
  forwardedFor: string | ReadonlyArray<string> | undefined,
  trusted: BlockList,
): string => {
  const nearest = canonical(peer ?? "")
  if (nearest === undefined) return unknownAddress
  const hops = typeof forwardedFor === "string" ? forwardedFor : (forwardedFor ?? []).join(",")
  const client = hops === "" ? nearest : lastUntrusted(nearest, hops, trusted)
  return familyOf(client) === "ipv4" || isLoopback(client) ? client : first64(client)
}

const loopback = new BlockList()
loopback.addSubnet("127.0.0.0", 8, "ipv4")
loopback.addAddress("::1", "ipv6")

/** Whether an address, or a result of `clientAddress`, is this machine. */
export const isLoopback = (address: string | undefined): boolean => {
  const plain = canonical(address ?? "")
  return plain !== undefined && loopback.check(plain, familyOf(plain))
}

/** Resolves the address of a client; warns once when a local proxy is missing from the settings. */
export const makeClientAddressResolver = Effect.gen(function* () {
  const proxies = (yield* Configuration).get(httpTrustedProxies)
  const trusted = trustedProxies(proxies)
  const run = Effect.runForkWith(yield* Effect.context<never>())
  let hasWarned = proxies.length > 0

  return (peer: string | undefined, forwardedFor: string | undefined): string => {
    if (!hasWarned && forwardedFor !== undefined && isLoopback(peer)) {
      hasWarned = true
      run(
        Effect.logWarning(
          "requests arrive through a proxy that is not in http.trusted-proxies: all its clients count as one address",
        ),
      )
    }
    return clientAddress(peer, forwardedFor, trusted)
  }
})
