import { exactAmount } from "#src/domain/amounts.ts"
import { priceOf, sideOf } from "#src/feed/amounts.ts"
import type { Names } from "#src/feed/Names.ts"
import { takerOf } from "#src/feed/payloads/fills.ts"
import { mentionFill } from "#src/feed/renderers/fills.ts"
import type { FillRow } from "#src/feed/rows.ts"
import type { TradeData } from "../../payloadSchemas.ts"
import { tokenFacets } from "../facets.ts"
import { chainFields, eventOf, marketOfToken, timestampOf } from "../payloadFields.ts"
import { asActivity, type FactRendering, factRenderer, stateless } from "../stateless.ts"

const noBuilder = "0".repeat(64)

export const builderOf = ({ builder }: Pick<FillRow, "builder">): string => `0x${builder ?? noBuilder}`

/** The oldest exchanges took some fees in shares: valued at the price of the trade, rounded half up. */
const feeUsd = ({ fee, fee_in_shares, usd, shares }: FillRow): bigint =>
  !fee_in_shares ? fee : shares === 0n ? 0n : (2n * fee * usd + shares) / (2n * shares)

export const tradeData = (fill: FillRow, names: Names): TradeData => {
  const token = names.token(fill.token)
  return {
    id: `0x${fill.tx}_${fill.log_index}`,
    maker: names.wallet(fill.maker),
    taker: takerOf(fill, names),
    token_id: token.id,
    direction: sideOf(fill.side),
    price: priceOf(fill.usd, fill.shares),
    amount_usd: exactAmount(fill.usd),
    shares: exactAmount(fill.shares),
    fee_usd: exactAmount(feeUsd(fill)),
    ...marketOfToken(token),
    ...eventOf(token.info),
    ...chainFields(fill),
    order_hash: `0x${fill.order_hash}`,
    builder: builderOf(fill),
    timestamp: timestampOf(fill),
  }
}

export const fillRendering: FactRendering<FillRow> = {
  mention: mentionFill,
  facets: (fill, names) => ({
    ...tokenFacets(names.token(fill.token)),
    wallets: [names.wallet(fill.maker)],
    builder: builderOf(fill),
    side: sideOf(fill.side),
    amount: Number(fill.usd),
    onlyForWallet: fill.taker === null,
  }),
  data: tradeData,
}

const fill = factRenderer("fill", fillRendering)

/** A builder routes one order, on either side of the match, so its own row is delivered. */
const builderRendering: FactRendering<FillRow> = {
  ...fillRendering,
  facets: (row, names) => ({ ...fillRendering.facets(row, names), onlyForWallet: false }),
}

export const tradePollers = [
  stateless("trade", { fill }),
  stateless("large_trade", { fill }),
  stateless("builder_trade", { fill: factRenderer("fill", builderRendering) }),
  stateless("wallet_activity_trades", { fill: factRenderer("fill", asActivity("trade", fillRendering)) }),
]
