import { Schema } from "effect"
import * as Job from "#src/mesh/Job.ts"
import { Address } from "./model.ts"
import { ReportQuery } from "./reports/model.ts"

/** Scores one wallet over all periods. */
export const CopyPnlScore = Job.make({
  name: "copy-pnl-score",
  payload: Schema.Struct({ wallet: Address }),
  key: ({ wallet }) => wallet,
  defaults: { concurrency: 2, budget: "5 minutes", attempts: 3, backoff: ["1 second", "5 seconds"] },
})

/** Requests new scores of wallets whose scores are old, and deletes scores of unfollowed wallets. */
export const CopyPnlRefresh = Job.make({
  name: "copy-pnl-refresh",
  payload: Schema.Struct({}),
  key: () => "all",
  // The next tick follows anyway.
  defaults: { concurrency: 1, budget: "1 minute", attempts: 1 },
})

/** Computes a report that a client waits for. */
export const CopyPnlReport = Job.make({
  name: "copy-pnl-report",
  payload: ReportQuery,
  key: ({ run }) => run.id,
  defaults: { concurrency: 2, budget: "2 minutes", attempts: 3, backoff: ["200 millis", "1 second"] },
})
