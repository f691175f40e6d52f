import { Effect, Option } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import * as settings from "#src/platform/config/settings.ts"
import { historyNeed } from "#src/roles/historyDisk.ts"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import { findStores } from "../runningInstance.ts"
import { type Finding, fail } from "./Finding.ts"
import { heldHistory } from "./history.ts"
import { hostFindings } from "./upstream/hosts.ts"
import { nodeFindings } from "./upstream/node.ts"
import { priceFindings } from "./upstream/prices.ts"
import { searchFindings } from "./upstream/searches.ts"
import { nodeSocketFindings } from "./upstream/sockets.ts"

const noNode = fail("node reachable", "no node is set", "set UPSTREAM_RPC_URL to a Polygon node")

/** As many days as a start would read without LEDGER_HISTORY. */
const autoHistoryDays = Effect.gen(function* () {
  const given = (yield* Configuration).get(settings.databaseUrl)
  const found = Option.map(yield* findStores, ({ databaseUrl }) => databaseUrl)
  const held = yield* heldHistory(Option.orElse(given, () => found))
  return (yield* historyNeed(held)).autoDays
})

const nodesFindings = Effect.fnUntraced(function* ({ rpc, isSimulated }: Endpoints["Service"]) {
  const autoDays = yield* autoHistoryDays
  const found = yield* Effect.forEach(rpc, (url) => nodeFindings(url, isSimulated, autoDays), {
    concurrency: "unbounded",
  })
  return found.flat()
})

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
