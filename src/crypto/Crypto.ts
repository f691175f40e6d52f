import { Layer } from "effect"
import { ActiveMarkets } from "./ActiveMarkets.ts"
import { Candles } from "./Candles.ts"
import { MarketList } from "./MarketList.ts"
import { PriceWindows } from "./PriceWindows.ts"
import { SeriesList } from "./SeriesList.ts"

/** Everything behind the crypto endpoints but ticks, which have a capability of their own. */
export const crypto = Layer.mergeAll(
  Candles.layer,
  PriceWindows.layer,
  ActiveMarkets.layer,
  MarketList.layer,
  SeriesList.layer,
)
