import { exchangeAddress, exchangeOf } from "#src/dictionary/exchangeCodes.ts"
import { exactAmount } from "#src/domain/amounts.ts"
import { address, generations } from "#src/upstream/chain/contracts.ts"
import { amountsOf, priceOf, secondsOf, sideOf } from "../amounts.ts"
import type { Names } from "../Names.ts"
import type { FillRow, OrderRow, SettlementRow } from "../rows.ts"
import { chainPosition } from "./chain.ts"
import { enrichedToken } from "./enriched.ts"

const negRiskExchanges: ReadonlySet<string> = new Set([
  address.negRiskExchange1,
  address.negRiskExchange2,
  address.negRiskExchange2Other,
])

export const tradePayload = (fill: FillRow, names: Names) => {
  const exchange = exchangeOf(fill.exchange) ?? ""
  return {
    event_type: "trade",
    ...enrichedToken(names.token(fill.token)),
    ...chainPosition(fill),
    exchange: negRiskExchanges.has(exchange) ? "neg_risk_ctf_exchange" : "ctf_exchange",
    exchange_version: generations.get(exchange) ?? null,
    ...fillDetails(fill, names),
  }
}

type Filled = Pick<FillRow, "order_hash" | "maker" | "side" | "token" | "shares" | "usd">

const flat = (fill: Filled, names: Names, taker: string, tx: string, at: Date) => {
  const token = names.token(fill.token)
  return {
    order_hash: `0x${fill.order_hash}`,
    user: names.wallet(fill.maker),
    taker,
    tx_hash: `0x${tx}`,
    side: sideOf(fill.side),
    price: priceOf(fill.usd, fill.shares),
    shares: Number(fill.shares),
    shares_normalized: exactAmount(fill.shares),
    token_id: token.id,
    token_label: token.info?.outcome ?? null,
    condition_id: token.condition,
    market_slug: token.info?.slug ?? null,
    title: token.info?.title ?? null,
    timestamp: secondsOf(at),
  }
}

/** The order's counterparty; on the taker's own row, the exchange. */
export const takerOf = ({ taker, exchange }: Pick<FillRow, "taker" | "exchange">, names: Names): string =>
  taker === null ? exchangeAddress(exchange) : names.wallet(taker)

export const fillPayload = (fill: FillRow, names: Names) => ({
  ...flat(fill, names, takerOf(fill, names), fill.tx, fill.at),
  block_number: fill.block,
  log_index: fill.log_index,
})

/** An order of a match that is not in a block yet. */
export const pendingFillPayload = (settlement: SettlementRow, order: OrderRow, names: Names) => {
  const [first] = settlement.orders
  const taker = order === first || first === undefined ? null : first.maker
  return {
    ...flat(
      order,
      names,
      takerOf({ taker, exchange: settlement.exchange }, names),
      settlement.tx,
      settlement.detected_at,
    ),
    block_number: null,
    log_index: null,
  }
}

/** A fill as listed within other messages. */
export const fillDetails = (fill: FillRow, names: Names) => ({
  order_hash: `0x${fill.order_hash}`,
  maker: names.wallet(fill.maker),
  taker: takerOf(fill, names),
  token_id: names.token(fill.token).id,
  side: sideOf(fill.side),
  price: priceOf(fill.usd, fill.shares),
  size: exactAmount(fill.shares),
  ...amountsOf(fill),
  // The oldest exchanges took some fees in shares, not dollars.
  fee: fill.fee_in_shares && fill.fee > 0n ? null : exactAmount(fill.fee),
})
