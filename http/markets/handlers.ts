import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { exactAmount } from "#src/domain/amounts.ts"
import type { ConditionId } from "#src/domain/ConditionId.ts"
import type { TokenId } from "#src/domain/TokenId.ts"
import { Markets } from "#src/markets/Markets.ts"
import { Rollups } from "#src/rollups/Rollups.ts"
import { Api } from "../Api.ts"
import { Unavailable } from "../server/errors.ts"
import { objectAnswers } from "../v3/objects.ts"
import { listLimit } from "../v3/parameters.ts"
import { onePage, oneRow, wholeLists } from "../v3/wholeLists.ts"
import { Holder, Market, TokenInfo } from "./shapes.ts"
import { refusal, shownCondition, shownHolder, shownMarket, shownPrice, shownToken, storeFailed } from "./translate.ts"

const notAddedUp = new Unavailable({
  error: "The open interest is not added up yet.",
  hint: "It follows the leaderboards; see GET /v1/status.",
})

const columnsOf = ({ fields }: { readonly fields: object }) => Object.keys(fields)
const tokens = { key: "data", columns: columnsOf(TokenInfo), covers: "facts" } as const
const oneMarket = { key: "data", columns: columnsOf(Market), covers: "facts" } as const
const holders = { key: "data", columns: columnsOf(Holder), covers: "positions" } as const

export const MarketsHandlers = HttpApiBuilder.group(
  Api,
  "markets",
  Effect.fnUntraced(function* (handlers) {
    const markets = yield* Markets
    const rollups = yield* Rollups
    const object = yield* objectAnswers
    const list = yield* wholeLists
    const token = (id: TokenId) => Effect.catch(markets.token(id), refusal)
    const market = (condition: ConditionId) => Effect.catch(markets.market(condition), refusal)

    return handlers
      .handleRaw("token", ({ params: { token_id } }) =>
        list(
          tokens,
          Effect.map(token(token_id), ({ found, asOf }) => oneRow(shownToken(token_id, found), asOf)),
        ),
      )
      .handleRaw("price", ({ params: { token_id } }) => {
        const read = Effect.map(token(token_id), ({ found, asOf }) => ({ body: shownPrice(token_id, found), asOf }))
        return object("facts", read)
      })
      .handleRaw("condition", ({ params: { condition_id } }) =>
        object(
          "facts",
          Effect.map(market(condition_id), ({ found, asOf }) => ({ body: shownCondition(condition_id, found), asOf })),
        ),
      )
      .handleRaw("market", ({ params: { condition_id } }) =>
        list(
          oneMarket,
          Effect.map(market(condition_id), ({ found, asOf }) => oneRow(shownMarket(found), asOf)),
        ),
      )
      .handleRaw("holders", ({ params: { condition_id }, query: { limit = listLimit.default } }) =>
        list(
          { ...holders, subject: { condition_id } },
          Effect.map(Effect.catch(markets.holders(condition_id, limit), refusal), ({ found, asOf }) => {
            const rows = found.holders.map(shownHolder)
            return { rows, asOf, rest: onePage(rows, limit, found.hasMore) }
          }),
        ),
      )
      .handleRaw("openInterest", () =>
        object(
          "facts",
          Effect.gen(function* () {
            const { found, asOf } = yield* Effect.catch(rollups.totals, storeFailed)
            if (found === undefined) return yield* notAddedUp
            return { body: { source: "onchain", open_interest_usdc: exactAmount(found.openInterest) }, asOf }
          }),
        ),
      )
  }),
)
