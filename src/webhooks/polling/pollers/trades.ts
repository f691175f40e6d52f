import { sideOf } from "#src/feed/amounts.ts"
import { mentionFill } from "#src/feed/renderers/fill.ts"
import type { FillRow } from "#src/feed/rows.ts"
import { builderOf, tradeData } from "../../payloads/trade.ts"
import { tokenFacets } from "./facets.ts"
import { asActivity, type FactWords, factTeller, stateless } from "./stateless.ts"

export const fillWords: FactWords<FillRow> = {
  mention: mentionFill,
  facets: (fill, names) => ({
    ...tokenFacets(names.token(fill.token)),
    wallets: [names.wallet(fill.maker)],
    builder: builderOf(fill),
    side: sideOf(fill.side),
    amountUsd: Number(fill.usd),
    onlyForWallet: fill.taker === null,
  }),
  data: tradeData,
}

const fill = factTeller("fill", fillWords)

/** A builder has brought one order, whichever side of the match it is on: its own row is the fill that is meant. */
const builderWords: FactWords<FillRow> = {
  ...fillWords,
  facets: (row, names) => ({ ...fillWords.facets(row, names), onlyForWallet: false }),
}

export const tradePollers = [
  stateless("trade", { fill }),
  stateless("large_trade", { fill }),
  stateless("builder_trade", { fill: factTeller("fill", builderWords) }),
  stateless("wallet_activity_trades", { fill: factTeller("fill", asActivity("trade", fillWords)) }),
]
