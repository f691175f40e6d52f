import { exactAmount, usdc } from "#src/domain/amounts.ts"
import { priceOf, sideOf } from "#src/feed/amounts.ts"
import type { EventRenderer } from "#src/feed/EventRenderer.ts"
import type { Names } from "#src/feed/Names.ts"
import { takerOf } from "#src/feed/payloads/fills.ts"
import { mentionFill } from "#src/feed/renderers/fills.ts"
import type { FillRow } from "#src/feed/rows.ts"
import type { TradeData } from "../../payloadSchemas.ts"
import { tokenFacets } from "../facets.ts"
import { fillRenderer } from "../fills.ts"
import type { Occurrence } from "../model.ts"
import { chainFields, eventOf, marketOfToken, timestampOf } from "../payloadFields.ts"
import { asActivity, type FactRendering, factRenderer, identityOf, occurrence, stateless } from "../stateless.ts"
import { ownPart, type WholeTrade, wholeTrade } from "./wholeTrade.ts"

const noBuilder = "0".repeat(64)

const builderOf = ({ builder }: Pick<WholeTrade, "builder">): string => `0x${builder ?? noBuilder}`

export const tradeData = (fill: FillRow, names: Names, part: WholeTrade = ownPart(fill)): TradeData => {
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
    fee_usd: exactAmount(part.fee),
    ...marketOfToken(token),
    ...eventOf(token.info),
    ...chainFields(fill),
    order_hash: `0x${fill.order_hash}`,
    builder: builderOf(part),
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
    amount: usdc(Number(fill.usd)),
    onlyForWallet: fill.taker === null,
  }),
  data: (fill, names) => tradeData(fill, names),
}

/** A wallet's webhooks see its own side of a trade; all others see each trade once, with the fees of both sides. */
const fill: EventRenderer<Occurrence> = {
  ...fillRenderer,
  find: ({ ref, sub }, rows) => {
    const row = rows.fact("fill", Number(ref), sub ?? 0)
    if (row === undefined) return undefined
    const identity = identityOf(rows, "fill", row)
    return {
      mention: (mentions) => mentionFill(row, mentions),
      render: (names) => {
        const facets = fillRendering.facets(row, names)
        const own = occurrence(identity, { ...facets, onlyForWallet: true }, () => tradeData(row, names))
        if (row.taker === null) return [own]
        const whole = () => tradeData(row, names, wholeTrade(row, rows.fillsOf(row.tx, row.block)))
        return [own, occurrence(identity, { ...facets, wallets: [] }, whole)]
      },
    }
  },
}

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
