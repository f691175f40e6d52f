import { Effect } from "effect"
import { Configuration } from "#src/platform/Configuration.ts"
import { httpTrustedProxies } from "#src/platform/settings.ts"
import { clientAddress, isLoopback, trustedProxies } from "../server/clientAddress.ts"
import { type Asked, Incoming } from "../server/Exchange.ts"

/** Who is asking, by address. Says once when a proxy on this machine seems to have been forgotten in the settings. */
export const addresses = Effect.gen(function* () {
  const named = (yield* Configuration).get(httpTrustedProxies)
  const trusted = trustedProxies(named)
  const run = Effect.runForkWith(yield* Effect.context<never>())
  let told = named.length > 0

  return ({ source, headers }: Asked): string => {
    const peer = source instanceof Incoming ? source.socket.remoteAddress : undefined
    const forwardedFor = headers["x-forwarded-for"]
    if (!told && forwardedFor !== undefined && isLoopback(peer)) {
      told = true
      run(
        Effect.logWarning(
          "requests come through a proxy that http.trusted-proxies does not name: all its clients count as one address",
        ),
      )
    }
    return clientAddress(peer, forwardedFor, trusted)
  }
})
