import { Effect, Schema } from "effect"
import type { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { httpAllowedHosts, httpTrustedProxies } from "#src/platform/config/settings.ts"
import { clientAddress, isLoopback, trustedProxies } from "#src/platform/http/clientAddress.ts"
import { isKnownHost } from "#src/platform/http/knownHosts.ts"
import { Incoming } from "../server/Exchange.ts"

/** A request of this machine that names another host. */
export class Misdirected extends Schema.Error<Misdirected>("Misdirected")(
  { error: Schema.String, hint: Schema.String },
  { httpApiStatus: 421, description: "The Host header has a name that this machine does not answer to" },
) {}

const misdirected = () =>
  new Misdirected({
    error: "From this machine, this is not available under that host name.",
    hint: `Use localhost or an IP address, or add the name to ${httpAllowedHosts.env}.`,
  })

/**
 * The refusal of a request that comes from this machine under a name that is not its own, as a web page's does whose name was
 * made to resolve to this machine. Only for what needs no key: such a page knows none. Clients of a trusted proxy are not on
 * this machine.
 */
export const hostGuard = Effect.map(Configuration, (config) => {
  const proxies = trustedProxies(config.get(httpTrustedProxies))
  return ({ source, headers }: HttpServerRequest) => {
    const peer = source instanceof Incoming ? source.socket.remoteAddress : undefined
    const isLocal = isLoopback(clientAddress(peer, headers["x-forwarded-for"], proxies))
    return isLocal && !isKnownHost(headers.host, config.get(httpAllowedHosts)) ? misdirected() : undefined
  }
})
