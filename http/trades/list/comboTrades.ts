import { Effect } from "effect"
import { Combos } from "#src/combos/Combos.ts"
import type { TradeFilter } from "#src/trades/list/model.ts"
import { kindsOf } from "../../combos/parameters.ts"
import { refusal, shownTrade } from "../../combos/translate.ts"
import type { WantedPage } from "../../v3/pages.ts"

/** What a list of a wallet's trades has with `include_combos`. */
export const comboTrades = Effect.map(
  Combos,
  (combos) =>
    (page: Omit<WantedPage, "behind">, { wallet, side, after, before }: TradeFilter) => {
      const isSale = side === undefined ? undefined : side === "sell"
      const filter = { wallet, after, before, isSale, kinds: kindsOf("execution", true) }
      return Effect.map(
        Effect.catch(combos.trades({ ...page, filter, behind: undefined }), refusal),
        ({ rows, next }) => ({
          include_combos: true,
          included_position_types: ["market", "combo"],
          combo_trades: rows.map((row) => ({ ...shownTrade(row), source: "onchain" })),
          combo_trade_count: rows.length,
          combo_has_more: next !== undefined,
          combo_source: "onchain",
        }),
      )
    },
)
