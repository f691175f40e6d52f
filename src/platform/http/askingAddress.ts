import { Effect } from "effect"
import { Configuration } from "../config/Configuration.ts"
import { httpTrustedProxies } from "../config/settings.ts"
import { clientAddress, isLoopback, trustedProxies } from "./clientAddress.ts"

/** Who is asking, by address. Says once when a proxy on this machine seems to have been forgotten in the settings. */
export const makeAskingAddress = Effect.gen(function* () {
  const named = (yield* Configuration).get(httpTrustedProxies)
  const trusted = trustedProxies(named)
  const run = Effect.runForkWith(yield* Effect.context<never>())
  let told = named.length > 0

  return (peer: string | undefined, forwardedFor: string | undefined): string => {
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
