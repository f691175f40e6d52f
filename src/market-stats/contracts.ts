import { Schema } from "effect"
import * as Job from "#src/mesh/Job.ts"

/** Counts what was traded of markets and events, and brings the figures in their lists up to date. */
export const MarketStatsRefresh = Job.make({
  name: "market-stats-refresh",
  payload: Schema.Struct({}),
  key: () => "all",
  exclusive: true,
  // The next tick follows anyway.
  defaults: { concurrency: 1, budget: "5 minutes", attempts: 1 },
})

/** Counts at once after the history was read, and does nothing later. */
export const MarketStatsFirst = Job.make({
  name: "market-stats-first",
  payload: Schema.Struct({}),
  key: () => "all",
  exclusive: true,
  defaults: { concurrency: 1, budget: "5 minutes", attempts: 1 },
})
