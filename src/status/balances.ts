import { Duration, Effect, Schema } from "effect"
import * as BalancesStore from "#src/balances/BalancesStore.ts"
import { Difference } from "#src/balances/model.ts"
import { balancesEvery, balancesWallets } from "#src/balances/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"

const about = (description: string) => Schema.Number.annotate({ description })

/** The last comparison of the ledger with the node's balances. */
export const BalancesStatus = Schema.Struct({
  state: Schema.Literals(["ok", "different", "unknown"]).annotate({
    description:
      "`ok`: all compared positions equal the balances on the node. `different`: some do not. `unknown`: nothing was compared recently; `reason` says why.",
  }),
  reason: Schema.NullOr(Schema.String),
  checked_seconds_ago: Schema.NullOr(Schema.Number),
  block: Schema.NullOr(Schema.Number).annotate({ description: "Block at which the balances were compared" }),
  wallets: about("Wallets that were compared"),
  compared: about("Balances that were compared"),
  differences: about("Balances that differ"),
  samples: Schema.Array(Difference).annotate({ description: "At most ten of them" }),
}).annotate({ identifier: "BalancesStatus" })
export type BalancesStatus = typeof BalancesStatus.Type

const nothing: Omit<BalancesStatus, "reason"> = {
  state: "unknown",
  checked_seconds_ago: null,
  block: null,
  wallets: 0,
  compared: 0,
  differences: 0,
  samples: [],
}

/** After this many cadences without a comparison, or a minute, the last one says nothing about now. */
const outdatedAfter = 3

/** The last comparison as seen at a moment in milliseconds. */
export const balancesView = Effect.gen(function* () {
  const { reads } = yield* Postgres
  const config = yield* Configuration
  return Effect.map(BalancesStore.lastResult(reads), (last) => (now: number): BalancesStatus => {
    if (config.get(balancesWallets) === 0) return { ...nothing, reason: "turned off: balances.wallets is 0" }
    if (last === undefined) return { ...nothing, reason: "not compared yet" }
    const { problem, ...result } = last.result
    const age = Math.max(0, now - last.at)
    const limit = Duration.max(Duration.minutes(1), Duration.times(config.get(balancesEvery), outdatedAfter))
    const reason = problem ?? (age > Duration.toMillis(limit) ? "not compared recently" : null)
    return {
      state: reason !== null ? "unknown" : result.differences > 0 ? "different" : "ok",
      reason,
      checked_seconds_ago: Math.round(age / 100) / 10,
      ...result,
    }
  })
})
