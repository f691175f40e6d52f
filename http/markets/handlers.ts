import { Clock, Effect } from "effect"
import { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { exactAmount } from "#src/domain/amounts.ts"
import type { AsOf } from "#src/ledger/asOf.ts"
import { LedgerCoverage } from "#src/ledger/coverage/LedgerCoverage.ts"
import { shownCoverage } from "#src/ledger/coverage/shape.ts"
import { Markets } from "#src/markets/Markets.ts"
import { Rollups } from "#src/rollups/Rollups.ts"
import { Api } from "../Api.ts"
import { Unavailable } from "../server/errors.ts"
import { listResponse, objectResponse, type Row, shownAsOf } from "../v3/answer.ts"
import { listLimit } from "../v3/parameters.ts"
import { Holder, Market, TokenInfo } from "./shapes.ts"
import { refusal, shownCondition, shownHolder, shownMarket, shownPrice, shownToken, storeFailed } from "./translate.ts"

const notAddedUp = new Unavailable({
  error: "The open interest is not added up yet.",
  hint: "It follows the leaderboards; see GET /v1/status.",
})

interface WholeList {
  readonly rows: ReadonlyArray<Row>
  readonly columns: ReadonlyArray<string>
  readonly limit: number
  readonly hasMore: boolean
  readonly subject?: Readonly<Record<string, string>>
  readonly asOf: AsOf | undefined
}

export const MarketsHandlers = HttpApiBuilder.group(
  Api,
  "markets",
  Effect.fnUntraced(function* (handlers) {
    const markets = yield* Markets
    const rollups = yield* Rollups
    const ledger = yield* LedgerCoverage
    // Read before the rest, which then covers at least that.
    const begin = Effect.all({
      start: Clock.currentTimeMillis,
      covered: Effect.catch(ledger.now, storeFailed),
    })
    type Begun = Effect.Success<typeof begin>

    const object = ({ start, covered }: Begun, asOf: AsOf | undefined, body: Readonly<Record<string, unknown>>) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        objectResponse(body, { asOf, coverage: shownCoverage(covered?.facts), start, now }),
      )
    /** A list that has no further pages. */
    const whole = ({ start, covered }: Begun, list: WholeList, covers: "facts" | "positions" = "facts") =>
      Effect.gen(function* () {
        const { rows, columns, limit, hasMore, subject = {}, asOf } = list
        const now = yield* Clock.currentTimeMillis
        const { headers } = yield* HttpServerRequest
        return listResponse(headers["accept"], {
          key: "data",
          rows,
          columns,
          asOf,
          nextCursor: null,
          now,
          rest: {
            ...subject,
            rows_returned: rows.length,
            has_more: hasMore,
            offset: 0,
            limit,
            next_cursor: null,
            as_of: shownAsOf(asOf),
            coverage: shownCoverage(covered?.[covers]),
            elapsed_ms: Math.max(0, Math.round(now - start)),
          },
        })
      })

    return handlers
      .handleRaw("token", ({ params: { token_id } }) =>
        Effect.gen(function* () {
          const begun = yield* begin
          const { found, asOf } = yield* Effect.catch(markets.token(token_id), refusal)
          const rows = [shownToken(token_id, found)]
          return yield* whole(begun, { rows, columns: Object.keys(TokenInfo.fields), limit: 1, hasMore: false, asOf })
        }),
      )
      .handleRaw("price", ({ params: { token_id } }) =>
        Effect.gen(function* () {
          const begun = yield* begin
          const { found, asOf } = yield* Effect.catch(markets.token(token_id), refusal)
          return yield* object(begun, asOf, shownPrice(token_id, found))
        }),
      )
      .handleRaw("condition", ({ params: { condition_id } }) =>
        Effect.gen(function* () {
          const begun = yield* begin
          const { found, asOf } = yield* Effect.catch(markets.market(condition_id), refusal)
          return yield* object(begun, asOf, shownCondition(condition_id, found))
        }),
      )
      .handleRaw("market", ({ params: { condition_id } }) =>
        Effect.gen(function* () {
          const begun = yield* begin
          const { found, asOf } = yield* Effect.catch(markets.market(condition_id), refusal)
          const columns = Object.keys(Market.fields)
          return yield* whole(begun, { rows: [shownMarket(found)], columns, limit: 1, hasMore: false, asOf })
        }),
      )
      .handleRaw("holders", ({ params: { condition_id }, query: { limit = listLimit.default } }) =>
        Effect.gen(function* () {
          const begun = yield* begin
          const { found, asOf } = yield* Effect.catch(markets.holders(condition_id, limit), refusal)
          const rows = found.holders.map(shownHolder)
          const columns = Object.keys(Holder.fields)
          const list = { rows, columns, limit, hasMore: found.hasMore, subject: { condition_id }, asOf }
          return yield* whole(begun, list, "positions")
        }),
      )
      .handleRaw("openInterest", () =>
        Effect.gen(function* () {
          const begun = yield* begin
          const { found, asOf } = yield* Effect.catch(rollups.totals, storeFailed)
          if (found === undefined) return yield* notAddedUp
          const open_interest_usdc = exactAmount(found.openInterest)
          return yield* object(begun, asOf, { source: "onchain", open_interest_usdc })
        }),
      )
  }),
)
