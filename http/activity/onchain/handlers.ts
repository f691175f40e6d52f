import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { ActivityLists } from "#src/activity/ActivityLists.ts"
import type { ActivityPage, ActivityQuery, Listed, ListedAct, ListedRedemption } from "#src/activity/model.ts"
import { exactAmount } from "#src/domain/amounts.ts"
import { LedgerCoverage } from "#src/ledger/coverage/LedgerCoverage.ts"
import { shownCoverage } from "#src/ledger/coverage/shape.ts"
import { Api } from "../../Api.ts"
import { unavailable } from "../../server/errors.ts"
import { idOfAct, questionSet, shownRedemption } from "../translate.ts"
import { onchainLimit } from "./group.ts"
import type { OnchainEvent, OnchainRedemption } from "./shapes.ts"

const shownEvent = (act: ListedAct): typeof OnchainEvent.Type => {
  const isConversion = act.type === "conversion"
  return {
    type: isConversion ? "conversion" : act.type === "merge" ? "merge" : "split",
    id: idOfAct(act),
    timestamp: act.at,
    condition: isConversion ? null : act.condition,
    amount: exactAmount(act.amount),
    market: act.title,
    slug: act.slug,
    image: act.image,
    neg_risk_market_id: act.negRiskMarket,
    index_set: questionSet(act),
    question_count: act.questionCount,
  }
}

const redemptionOf = (row: ListedRedemption): typeof OnchainRedemption.Type => {
  const { id, condition, index_sets, payout_usdc, market_title, market_slug, market_image } = shownRedemption(row)
  return {
    id,
    timestamp: row.at,
    condition,
    index_sets: index_sets ?? [],
    payout: payout_usdc,
    market: market_title,
    slug: market_slug,
    image: market_image,
  }
}

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
          return { ...envelope, total_payout: exactAmount(total), redemptions: rows.map(redemptionOf) }
        }),
      )
  }),
)
