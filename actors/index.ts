import { Layer } from "effect"
import { balances } from "./balances.ts"
import { bookMaintenance } from "./bookMaintenance.ts"
import { builders } from "./builders.ts"
import { catalogueFollower } from "./catalogueFollower.ts"
import { chainFollower } from "./chainFollower.ts"
import { copyPnl } from "./copyPnl.ts"
import { eventLogMaintenance } from "./eventLogMaintenance.ts"
import { eventLogRelay } from "./eventLogRelay.ts"
import { historyReader } from "./historyReader.ts"
import { leaderboards } from "./leaderboards.ts"
import { marketStats } from "./marketStats.ts"
import { oracleFeeds } from "./oracleFeed.ts"
import { orderBooks } from "./orderBooks.ts"
import { pendingSettlements } from "./pendingSettlements.ts"
import { rollups } from "./rollups.ts"
import { sportsFeed } from "./sportsFeed.ts"
import { tickMaintenance } from "./tickMaintenance.ts"
import { tradesExport } from "./tradesExport.ts"
import { webhooksDeliver } from "./webhooksDeliver.ts"
import { webhooksMaintenance } from "./webhooksMaintenance.ts"
import { webhooksPoll } from "./webhooksPoll.ts"
import { webhooksSeed } from "./webhooksSeed.ts"

/** Actors: exactly one of each runs in the cluster. */
export const actors = Layer.mergeAll(
  catalogueFollower,
  chainFollower,
  historyReader,
  sportsFeed,
  eventLogRelay,
  oracleFeeds,
  orderBooks,
  pendingSettlements,
)

/** Job handlers: one of each in every worker process. */
export const jobHandlers = Layer.mergeAll(
  balances,
  bookMaintenance,
  builders,
  eventLogMaintenance,
  leaderboards,
  marketStats,
  rollups,
  tickMaintenance,
  webhooksPoll,
  webhooksDeliver,
  webhooksMaintenance,
  webhooksSeed,
  copyPnl,
  tradesExport,
)
