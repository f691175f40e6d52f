import { Effect } from "effect"
import type { Configuration } from "#src/platform/config/Configuration.ts"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import { type Finding, fail } from "./Finding.ts"
import { hostFindings } from "./upstream/hosts.ts"
import { nodeFindings } from "./upstream/node.ts"
import { priceFindings } from "./upstream/prices.ts"
import { searchFindings } from "./upstream/searches.ts"
import { nodeSocketFindings } from "./upstream/sockets.ts"

const noNode = fail("node reachable", "no node is set", "set UPSTREAM_RPC_URL to a Polygon node")

const nodesFindings = ({ rpc, isSimulated }: Endpoints["Service"]) =>
  Effect.map(
    Effect.forEach(rpc, (url) => nodeFindings(url, isSimulated), { concurrency: "unbounded" }),
    (found) => found.flat(),
  )

/** Probes the nodes, every host of the venue, and the searches that are configured. */
export const examineUpstream: Effect.Effect<ReadonlyArray<Finding>, never, Configuration | Endpoints> = Effect.gen(
  function* () {
    const addresses = yield* Endpoints
    const found = yield* Effect.all(
      [
        addresses.rpc.length === 0 ? Effect.succeed([noNode]) : nodesFindings(addresses),
        nodeSocketFindings(addresses.rpcSocket),
        hostFindings(addresses),
        priceFindings(addresses),
        searchFindings(addresses),
      ],
      { concurrency: "unbounded" },
    )
    return found.flat()
  },
)
