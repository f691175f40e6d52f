import { Clock, Context, Duration, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { AccountId } from "#src/domain/Account.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { Month, MonthlyUsage } from "./model.ts"
import { usageFlush } from "./settings.ts"
import * as UsageStore from "./UsageStore.ts"

/** Reports the usage of an account. */
export class Usage extends Context.Service<
  Usage,
  {
    /** All zeros for a month or account without usage. */
    readonly month: (account: AccountId, month: Month) => Effect.Effect<MonthlyUsage, SqlError>
  }
>()("presage/usage/Usage") {
  static readonly layer = Layer.effect(
    Usage,
    Effect.gen(function* () {
      const config = yield* Configuration
      const { reads } = yield* Postgres
      return Usage.of({
        month: Effect.fn("Usage.month")(function* (account, month) {
          const now = yield* Clock.currentTimeMillis
          const all = yield* UsageStore.totals(reads, account, month)
          const whole = all.find(({ day, family, key_id }) => day === null && family === null && key_id === null)
          return {
            account_id: account,
            month,
            ...(whole === undefined ? { requests: 0, bytes: 0 } : countedIn(whole)),
            by_family: all.flatMap(({ family, day, ...row }) =>
              family === null || day !== null ? [] : { family, ...countedIn(row) },
            ),
            by_day: all.flatMap(({ family, day, ...row }) =>
              day === null || family !== null ? [] : { day, ...countedIn(row) },
            ),
            by_day_and_family: all.flatMap(({ family, day, ...row }) =>
              day === null || family === null ? [] : { day, family, ...countedIn(row) },
            ),
            by_key: all.flatMap((row) =>
              row.key_id === null ? [] : { key_id: row.key_id, name: row.name ?? "", ...countedIn(row) },
            ),
            as_of: new Date(now).toISOString(),
            behind_seconds: Duration.toSeconds(config.get(usageFlush)),
          }
        }),
      })
    }),
  )
}

const countedIn = ({ requests, bytes }: Pick<UsageStore.Total, "requests" | "bytes">) => ({ requests, bytes })
