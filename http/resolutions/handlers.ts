import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { winnerOf } from "#src/feed/payloads/resolution.ts"
import { Markets } from "#src/markets/Markets.ts"
import type { ListedResolution, ResolutionPlace } from "#src/markets/ResolutionStore.ts"
import { Api } from "../Api.ts"
import { denominatorOf, refusal, shownTime } from "../markets/translate.ts"
import { pagedLists } from "../v3/pages.ts"
import { Resolution } from "./shapes.ts"

const shownResolution = ({ market, tx, block, logIndex }: ListedResolution): typeof Resolution.Type => ({
  condition_id: market.condition ?? "",
  question: market.title,
  slug: market.slug,
  outcomes: market.outcomes,
  category: market.category,
  payout_numerators: market.payouts?.map(String) ?? [],
  payout_denominator: denominatorOf(market) ?? "0",
  winning_outcome_index: winnerOf(market.payouts),
  resolved_at: shownTime(market.resolvedAt) ?? "",
  created_at: shownTime(market.createdAt),
  proposer: null,
  disputer: null,
  settler: null,
  transaction_hash: tx,
  block_number: block,
  log_index: logIndex,
})

const placeIn = (position: ReadonlyArray<bigint> | undefined): ResolutionPlace | undefined => {
  const [block, logIndex, sub] = (position ?? []).map(Number)
  return block === undefined || logIndex === undefined || sub === undefined ? undefined : { block, logIndex, sub }
}

export const ResolutionsHandlers = HttpApiBuilder.group(
  Api,
  "resolutions",
  Effect.fnUntraced(function* (handlers) {
    const markets = yield* Markets
    const paged = yield* pagedLists
    const format = {
      list: "resolutions",
      key: "data",
      columns: Object.keys(Resolution.fields),
      covers: "facts",
    } as const
    return handlers.handleRaw("resolutions", ({ query }) =>
      paged(format, query, ({ behind, ...page }, { condition_id, after, before }) => {
        const wanted = { ...page, condition: condition_id, after, before, behind: placeIn(behind) }
        return Effect.map(Effect.catch(markets.resolutions(wanted), refusal), ({ found, asOf }) => {
          const shown = found.slice(0, page.limit)
          const last = shown.at(-1)
          return {
            rows: shown.map(shownResolution),
            next: last && found.length > page.limit ? [last.block, last.logIndex, last.sub] : undefined,
            asOf,
          }
        })
      }),
    )
  }),
)
