import { Clock, Duration, Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { allowances, plans } from "#src/domain/Plan.ts"
import { limitsUnauthenticated, limitsWindow } from "#src/limits/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Processes } from "#src/processes/Processes.ts"
import { type AccountUsage, topToday } from "#src/usage/UsageStore.ts"
import { unavailable } from "../../server/errors.ts"
import { OperatorApi } from "../Api.ts"

const listed = 20
const hourMillis = 3_600_000

const shown = (usage: AccountUsage) => ({
  account_id: usage.account,
  name: usage.name,
  plan: usage.plan,
  active: usage.active,
  standard_per_minute: usage.standardPerMinute ?? allowances[usage.plan].standardPerMinute,
  heavy_per_minute: usage.heavyPerMinute ?? allowances[usage.plan].heavyPerMinute,
  requests: usage.requests,
  bytes: usage.bytes,
})

const planLimits = plans.map((plan) => {
  const { standardPerMinute, heavyPerMinute, keys, webhooks } = allowances[plan]
  return { plan, standard_per_minute: standardPerMinute, heavy_per_minute: heavyPerMinute, keys, webhooks }
})

export const LimitsHandlers = HttpApiBuilder.group(
  OperatorApi,
  "limits",
  Effect.fnUntraced(function* (handlers) {
    const config = yield* Configuration
    const { reads } = yield* Postgres
    const processes = yield* Processes
    const state = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const [top, samples] = yield* Effect.all([topToday(reads, listed), processes.samples(now - hourMillis)], {
        concurrency: "unbounded",
      })
      const sum = (name: string) => samples.reduce((total, { counts }) => total + (counts[name] ?? 0), 0)
      return {
        window_seconds: Duration.toSeconds(config.get(limitsWindow)),
        unauthenticated_per_minute: config.get(limitsUnauthenticated),
        refused_last_hour: sum("limits.refused"),
        requests_last_hour: sum("http"),
        plans: planLimits,
        top_accounts: top.map(shown),
      }
    })
    return handlers.handleAll({ state: () => Effect.catch(state, unavailable("ops")) })
  }),
)
