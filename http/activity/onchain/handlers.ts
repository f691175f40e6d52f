import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { ActivityLists } from "#src/activity/ActivityLists.ts"
import type { ActivityPage, ActivityQuery, Listed, ListedAct } from "#src/activity/model.ts"
import { exactAmount } from "#src/domain/amounts.ts"
import { LedgerCoverage } from "#src/ledger/coverage/LedgerCoverage.ts"
import { shownCoverage } from "#src/ledger/coverage/shape.ts"
import { Api } from "../../Api.ts"
import { unavailable } from "../../server/errors.ts"
import { onchainLimit } from "./group.ts"
import { shownEvent, shownRedemption } from "./translate.ts"

const storeFailed = unavailable("activity")

export const OnchainActivityHandlers = HttpApiBuilder.group(
  Api,
  "onchainActivity",
  Effect.fnUntraced(function* (handlers) {
    const lists = yield* ActivityLists
    const ledger = yield* LedgerCoverage

    const read = <A extends Listed>(
      wallet: string,
      { limit = onchainLimit.default, offset = 0 }: { readonly limit?: number; readonly offset?: number },
      pages: (query: ActivityQuery) => Effect.Effect<ActivityPage<A>, SqlError>,
    ) =>
      Effect.gen(function* () {
        // Read before the rows, which then cover at least that.
        const covered = yield* ledger.now
        const page = yield* pages({ filter: { owner: wallet }, order: "desc", limit, offset, behind: undefined })
        const source = "onchain" as const
        const envelope = {
          wallet,
          source,
          count: page.rows.length,
          offset,
          limit,
          has_more: page.next !== undefined,
          coverage: shownCoverage(covered?.facts),
        }
        return { envelope, rows: page.rows }
      }).pipe(Effect.catch(storeFailed))

    return handlers
      .handle(
        "activity",
        Effect.fnUntraced(function* ({ params: { address }, query }) {
          const { envelope, rows } = yield* read(address, query, lists.acts(["split", "merge", "conversion"]))
          const count = (type: ListedAct["type"]) => rows.filter((act) => act.type === type).length
          return {
            ...envelope,
            splits: count("split"),
            merges: count("merge"),
            conversions: count("conversion"),
            events: rows.map(shownEvent),
          }
        }),
      )
      .handle(
        "redemptions",
        Effect.fnUntraced(function* ({ params: { address }, query }) {
          const { envelope, rows } = yield* read(address, query, lists.redemptions)
          const total = rows.reduce((sum, { payout }) => sum + payout, 0n)
          return { ...envelope, total_payout: exactAmount(total), redemptions: rows.map(shownRedemption) }
        }),
      )
  }),
)
