import { Schema } from "effect"
import * as Job from "#src/mesh/Job.ts"

/** Compares balances of some wallets with the node. */
export const BalancesCheck = Job.make({
  name: "balances-check",
  payload: Schema.Struct({}),
  key: () => "all",
  exclusive: true,
  // The next tick follows anyway.
  defaults: { concurrency: 1, budget: "2 minutes", attempts: 1 },
})
