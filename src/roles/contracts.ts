import { BalancesCheck } from "#src/balances/contracts.ts"
import { BookMaintenance } from "#src/books/contracts.ts"
import { BuildersAdvance, BuildersList, BuildersRank } from "#src/builders/contracts.ts"
import { CopyPnlRefresh, CopyPnlReport, CopyPnlScore } from "#src/copy-pnl/contracts.ts"
import { LeaderboardsRefresh } from "#src/leaderboards/contracts.ts"
import { MarketStatsFirst, MarketStatsRefresh } from "#src/market-stats/contracts.ts"
import { EventLogMaintenance } from "#src/mesh/contracts.ts"
import { RepairRun } from "#src/repair/contracts.ts"
import { RollupsAdvance } from "#src/rollups/contracts.ts"
import { TickMaintenance } from "#src/ticks/contracts.ts"
import { TradesExport } from "#src/trades/contracts.ts"
import {
  WebhooksDeliver,
  WebhooksDeliverSlow,
  WebhooksMaintenance,
  WebhooksPoll,
  WebhooksSeed,
} from "#src/webhooks/contracts.ts"

/** All job contracts: their settings are declared and their queues are monitored. */
export const contracts = [
  EventLogMaintenance,
  LeaderboardsRefresh,
  MarketStatsFirst,
  MarketStatsRefresh,
  RollupsAdvance,
  BuildersAdvance,
  BuildersRank,
  BuildersList,
  TickMaintenance,
  WebhooksPoll,
  WebhooksDeliver,
  WebhooksDeliverSlow,
  WebhooksMaintenance,
  WebhooksSeed,
  CopyPnlScore,
  CopyPnlRefresh,
  TradesExport,
  CopyPnlReport,
  BalancesCheck,
  BookMaintenance,
  RepairRun,
]
