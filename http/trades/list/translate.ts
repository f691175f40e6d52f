import { Effect } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { ConflictingFilters } from "#src/catalogue/ConflictingFilters.ts"
import type { UnknownName } from "#src/catalogue/NameStore.ts"
import { exactAmount, shares, sharesOf, usdc, usdcOf } from "#src/domain/amounts.ts"
import { priceOf } from "#src/feed/amounts.ts"
import type { ListedTrade, ListPlace, OrderTotals, TooManyToSort, TradeFilter } from "#src/trades/list/model.ts"
import { conflictingFilters } from "../../input/conflictingFilters.ts"
import { explainUnknown } from "../../input/unknownName.ts"
import { BadInput, NotFound, type Unavailable, unavailable } from "../../server/errors.ts"
import type { Order } from "./shapes.ts"

export interface FilterParameters {
  readonly token_id?: string
  readonly condition_id?: string
  readonly market_slug?: string
  readonly event_slug?: string
  readonly event_id?: number
  readonly order_hash?: string
  readonly builder?: string
  readonly side?: "buy" | "sell" | "both"
  readonly role?: "maker" | "taker"
  readonly min_amount_usd?: number | undefined
  readonly min_amount?: number
  readonly after?: number
  readonly before?: number
}

export const filterOf = (given: FilterParameters): TradeFilter => ({
  tokenId: given.token_id,
  conditionId: given.condition_id,
  marketSlug: given.market_slug,
  eventSlug: given.event_slug,
  eventId: given.event_id,
  orderHash: given.order_hash?.toLowerCase(),
  builder: given.builder?.toLowerCase(),
  side: given.side === "both" ? undefined : given.side,
  role: given.role,
  minUsd: given.min_amount_usd === undefined ? undefined : usdc(BigInt(usdcOf(given.min_amount_usd))),
  minShares: given.min_amount === undefined ? undefined : shares(BigInt(sharesOf(given.min_amount))),
  after: given.after,
  before: given.before,
})

/** What a cursor names a place by. */
export const positionOf = ({ at, block, logIndex, value }: ListPlace) => [at, block, logIndex, value]

export const placeIn = (position: ReadonlyArray<bigint> | undefined): ListPlace | undefined => {
  const [at, block, logIndex, value] = position ?? []
  return at === undefined || block === undefined || logIndex === undefined || value === undefined
    ? undefined
    : { at: Number(at), block: Number(block), logIndex: Number(logIndex), value }
}

export const ordersByTime = new BadInput({
  error: 'Parameter "sort_by": orders are only sorted by timestamp.',
  param: "sort_by",
  hint: "Omit `sort_by`, or `group_by`.",
})

const storeFailed = unavailable("trades")

export const refusal = (
  failure: UnknownName | ConflictingFilters | TooManyToSort | SqlError,
): Effect.Effect<never, BadInput | NotFound | Unavailable> => {
  if (failure._tag === "UnknownName")
    return Effect.fail(new NotFound({ error: "Not found.", hint: explainUnknown(failure) }))
  if (failure._tag === "ConflictingFilters") return Effect.fail(conflictingFilters(failure.parameters))
  if (failure._tag === "TooManyToSort") {
    return Effect.fail(
      new BadInput({
        error: `Parameter "sort_by": more than ${failure.most} fills match, which can only be sorted by timestamp.`,
        param: "sort_by",
        hint: "Narrow the list with `after` and `before`, or with a market.",
      }),
    )
  }
  return storeFailed(failure)
}

const collateral = "0"
const noBuilder = `0x${"0".repeat(64)}`

const shownTotals = ({ usd, shares, fee, fills, firstAt, lastAt, txs }: OrderTotals, isSale: boolean) => {
  const [dollars, count] = [exactAmount(usd), exactAmount(shares)]
  return {
    fill_count: fills,
    avg_price: priceOf(usd, shares),
    total_amount_usd: dollars,
    total_usd: dollars,
    total_shares: count,
    total_fee: exactAmount(fee),
    total_maker_amount: isSale ? count : dollars,
    total_taker_amount: isSale ? dollars : count,
    first_fill_at: firstAt,
    last_fill_at: lastAt,
    tx_hashes: txs,
  }
}

export const shownTrade = (trade: ListedTrade): typeof Order.Type => {
  const [usd, shares] = [exactAmount(trade.usd), exactAmount(trade.shares)]
  const { isSale, token } = trade
  return {
    id: `${trade.tx}_${trade.logIndex}`,
    maker: trade.maker,
    taker: trade.taker,
    maker_asset_id: isSale ? token : collateral,
    taker_asset_id: isSale ? collateral : token,
    maker_amount: isSale ? shares : usd,
    taker_amount: isSale ? usd : shares,
    amount_usd: usd,
    fee: exactAmount(trade.fee),
    price: priceOf(trade.usd, trade.shares),
    size: shares,
    amount: shares,
    timestamp: String(trade.at),
    transaction_hash: trade.tx,
    order_hash: trade.orderHash,
    builder: trade.builder ?? noBuilder,
    side: isSale ? 1 : 0,
    direction: isSale ? "SELL" : "BUY",
    role: trade.startedMatch ? "taker" : "maker",
    token_id: token,
    asset: token,
    market: trade.title,
    slug: trade.slug,
    outcome: trade.outcome,
    outcome_index: trade.outcomeIndex,
    image: trade.image,
    condition_id: trade.condition,
    event_slug: trade.eventSlug,
    event_id: trade.eventId,
    ...(trade.totals && shownTotals(trade.totals, isSale)),
  }
}
