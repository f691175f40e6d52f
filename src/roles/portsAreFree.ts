import { Effect } from "effect"
import { clusterHost, clusterListenHost, clusterPort } from "#src/mesh/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import * as settings from "#src/platform/config/settings.ts"
import { canListen } from "#src/platform/http/listenErrors.ts"
import type { Role } from "./Process.ts"

/**
 * Fails where a server of these roles could not listen, before the stores are started and migrated in vain. Each server
 * still reports a port that is taken only afterwards.
 */
export const portsAreFree = Effect.fnUntraced(function* (roles: ReadonlySet<Role>) {
  const config = yield* Configuration
  const host = config.get(settings.host)
  if (roles.has("api")) yield* canListen(host, config.get(settings.port), settings.port.env)
  else {
    const { opsHost, opsPort } = settings
    yield* canListen(config.get(opsHost), config.get(opsPort), opsPort.env, opsHost.env)
  }
  if (roles.has("gateway")) yield* canListen(host, config.get(settings.wsPort), settings.wsPort.env)
  if (roles.has("worker")) {
    const listenHost = config.get(clusterListenHost) === "" ? clusterHost : clusterListenHost
    yield* canListen(config.get(listenHost), config.get(clusterPort), clusterPort.env, listenHost.env)
  }
})
