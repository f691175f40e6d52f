import { Effect } from "effect"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import { type Finding, fail } from "./Finding.ts"
import { hostFindings } from "./upstream/hosts.ts"
import { nodeFindings } from "./upstream/node.ts"
import { searchFindings } from "./upstream/searches.ts"
import { nodeSocketFindings } from "./upstream/sockets.ts"

/** Probes the nodes, every host of the venue, and the searches that are configured. */
export const examineUpstream: Effect.Effect<ReadonlyArray<Finding>, never, Endpoints> = Effect.gen(function* () {
  const addresses = yield* Endpoints
  if (addresses.rpc.length === 0) {
    return [fail("node", "no node is set", "set UPSTREAM_RPC_URL to a Polygon node")]
  }
  const found = yield* Effect.all(
    [
      ...addresses.rpc.map((url) => nodeFindings(url, addresses.isSimulated)),
      nodeSocketFindings(addresses.rpcSocket),
      hostFindings(addresses),
      searchFindings(addresses),
    ],
    { concurrency: "unbounded" },
  )
  return found.flat()
})
