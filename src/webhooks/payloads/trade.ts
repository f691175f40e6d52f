import { exactAmount } from "#src/domain/amounts.ts"
import { priceOf, sideOf } from "#src/feed/amounts.ts"
import type { Names } from "#src/feed/Names.ts"
import { takerOf } from "#src/feed/payloads/fill.ts"
import type { FillRow } from "#src/feed/rows.ts"
import type { TradeData } from "./schemas.ts"
import { eventOf, marketOfToken, placeOnChain, timestampOf } from "./shared.ts"

const noBuilder = "0".repeat(64)

export const builderOf = ({ builder }: Pick<FillRow, "builder">): string => `0x${builder ?? noBuilder}`

/** The oldest exchanges took some fees in shares: they are worth what the shares were traded for, half up. */
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
    ...placeOnChain(fill),
    order_hash: `0x${fill.order_hash}`,
    builder: builderOf(fill),
    timestamp: timestampOf(fill),
  }
}
