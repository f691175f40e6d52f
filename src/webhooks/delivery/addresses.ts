import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/unstable/net"

const networks = (...texts: ReadonlyArray<string>) => texts.map((text) => IpNetwork.fromStringUnsafe(text))

/** IPv4 ranges that are not public: private, link-local, shared, documentation, multicast, reserved, and Azure's host. */
const reserved4 = networks(
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
)

/** The only public part of IPv6; loopback, link-local, unique local, NAT64 and multicast lie outside. */
const global6 = networks("2000::/3")

/** Except tunnels, which embed an IPv4 address, and ranges for documentation and protocols. */
const reserved6 = networks("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")

const isIn = (lists: ReadonlyArray<IpNetwork.IpNetwork>, address: NetAddress.IpAddress) =>
  lists.some((network) => IpNetwork.contains(network, address))

/** `public` is the internet, `loopback` this machine, `inside` everything else, including invalid addresses. */
export const reachOf = (text: string): "public" | "loopback" | "inside" => {
  const parsed = NetAddress.ipFromString(text)
  if (Result.isFailure(parsed)) return "inside"
  const address = NetAddress.toCanonical(parsed.success)
  if (NetAddress.isLoopback(address)) return "loopback"
  const isPublic = NetAddress.isIpv4Address(address)
    ? !isIn(reserved4, address)
    : isIn(global6, address) && !isIn(reserved6, address)
  return isPublic ? "public" : "inside"
}
