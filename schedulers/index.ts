import type { AnyDuty } from "#src/mesh/Duty.ts"
import { balances } from "./balances.ts"
import { bookMaintenance } from "./bookMaintenance.ts"
import { builders } from "./builders.ts"
import { copyPnl } from "./copyPnl.ts"
import { eventLogMaintenance } from "./eventLogMaintenance.ts"
import { leaderboards } from "./leaderboards.ts"
import { marketStats } from "./marketStats.ts"
import { rollups } from "./rollups.ts"
import { tickMaintenance } from "./tickMaintenance.ts"
import { webhooks } from "./webhooks.ts"
import { webhooksMaintenance } from "./webhooksMaintenance.ts"

/** All recurring jobs. */
export const duties: ReadonlyArray<AnyDuty> = [
  eventLogMaintenance,
  tickMaintenance,
  ...webhooks,
  webhooksMaintenance,
  copyPnl,
  leaderboards,
  ...marketStats,
  rollups,
  ...builders,
  balances,
  bookMaintenance,
]
