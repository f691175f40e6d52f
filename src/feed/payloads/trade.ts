import { exchangeOf } from "#src/dictionary/exchangeCodes.ts"
import { address, generations } from "#src/upstream/chain/contracts.ts"
import { enrichedToken } from "../enriched.ts"
import type { Names } from "../Names.ts"
import type { FillRow } from "../rows.ts"
import { fillDetails } from "./fill.ts"
import { placePayload } from "./place.ts"

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
    ...placePayload(fill),
    exchange: negRiskExchanges.has(exchange) ? "neg_risk_ctf_exchange" : "ctf_exchange",
    exchange_version: generations.get(exchange) ?? null,
    ...fillDetails(fill, names),
  }
}
