import { Schema } from "effect"
import * as Job from "#src/mesh/Job.ts"
import { Address } from "./model.ts"
import { Asked } from "./reports/model.ts"

/** Scores one wallet over all periods. */
export const CopyPnlScore = Job.make({
  name: "copy-pnl-score",
  payload: Schema.Struct({ wallet: Address }),
  key: ({ wallet }) => wallet,
  defaults: { concurrency: 2, budget: "5 minutes", attempts: 3, backoff: ["1 second", "5 seconds"] },
})

/** Asks for new scores of wallets whose last ones are old, and forgets those that nobody follows. */
export const CopyPnlRefresh = Job.make({
  name: "copy-pnl-refresh",
  payload: Schema.Struct({}),
  key: () => "all",
  // Another tick follows anyway.
  defaults: { concurrency: 1, budget: "1 minute", attempts: 1 },
})

/** Works out what somebody waits for now. */
export const CopyPnlReport = Job.make({
  name: "copy-pnl-report",
  payload: Asked,
  key: ({ flight }) => flight.id,
  defaults: { concurrency: 2, budget: "2 minutes", attempts: 3, backoff: ["200 millis", "1 second"] },
})
