import { Layer } from "effect"
import { ActivityLists } from "#src/activity/ActivityLists.ts"
import { Rebates } from "#src/activity/Rebates.ts"
import { BookCache } from "#src/books/BookCache.ts"
import { Books } from "#src/books/Books.ts"
import { Builders } from "#src/builders/Builders.ts"
import { TokenCandles } from "#src/candles/TokenCandles.ts"
import { Enrichment } from "#src/catalogue/Enrichment.ts"
import { MarketLookup } from "#src/catalogue/MarketLookup.ts"
import { Combos } from "#src/combos/Combos.ts"
import { ActiveMarkets } from "#src/crypto/ActiveMarkets.ts"
import { Candles } from "#src/crypto/Candles.ts"
import { MarketList } from "#src/crypto/MarketList.ts"
import { PriceWindows } from "#src/crypto/PriceWindows.ts"
import { SeriesList } from "#src/crypto/SeriesList.ts"
import { Feed } from "#src/feed/Feed.ts"
import { MarketStats } from "#src/market-stats/MarketStats.ts"
import { MarketSearch } from "#src/markets/MarketSearch.ts"
import { Markets } from "#src/markets/Markets.ts"
import { TagMarkets } from "#src/markets/TagMarkets.ts"
import { PositionPages } from "#src/positions/list/PositionPages.ts"
import { PositionLists } from "#src/positions/PositionLists.ts"
import { Rollups } from "#src/rollups/Rollups.ts"
import { sportsServices } from "#src/sports/Sports.ts"
import { Status } from "#src/status/Status.ts"
import { TradeLists } from "#src/trades/list/TradeLists.ts"
import { ClobRest } from "#src/upstream/clob/ClobRest.ts"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import { Gamma } from "#src/upstream/gamma/Gamma.ts"
import { UpstreamHttp } from "#src/upstream/Http.ts"
import { WalletPnl } from "#src/wallets/WalletPnl.ts"

/** Everything behind the crypto endpoints but ticks, which have a capability of their own. */
export const cryptoServices = Layer.mergeAll(
  Candles.layer,
  PriceWindows.layer,
  ActiveMarkets.layer,
  MarketList.layer,
  SeriesList.layer,
)

/** Read services of the edges: order books, market metadata, prices, positions, status. */
export const reading = Layer.mergeAll(
  Books.layer,
  Feed.layer,
  MarketLookup.layer,
  cryptoServices,
  Status.layer,
  PositionLists.layer,
  PositionPages.layer,
  TradeLists.layer,
  Rollups.layer,
  Builders.layer,
  Markets.layer,
  MarketStats.layer,
  TagMarkets.layer,
  MarketSearch.layer,
  ClobRest.layer,
  TokenCandles.layer,
  ActivityLists.layer,
  Rebates.layer,
  WalletPnl.layer,
  Combos.layer,
  sportsServices,
).pipe(
  Layer.provideMerge(Enrichment.layer),
  Layer.provide(Layer.mergeAll(BookCache.layer, ClobRest.layer, Gamma.layer)),
  Layer.provide(Layer.merge(Endpoints.layer, UpstreamHttp.layer)),
)
