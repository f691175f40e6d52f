import { Duration, Effect, Layer } from "effect"
import { repair } from "#actors/repair.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import * as settings from "#src/platform/config/settings.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Stores } from "./Stores.ts"

/** Repairs read the whole ledger, as the commands do, and need few connections. */
const unhurried = new Map<string, unknown>([
  [settings.postgresStatementTimeout.name, Duration.minutes(10)],
  [settings.postgresLockTimeout.name, Duration.minutes(1)],
  [settings.postgresPool.name, 3],
  [settings.postgresReadPool.name, 1],
  [settings.postgresExportPool.name, 1],
])

const withLongTimeouts = Layer.effect(
  Configuration,
  Effect.map(Configuration, (config) =>
    Configuration.of({
      ...config,
      get: (setting) => (unhurried.get(setting.name) as ReturnType<typeof config.get<never>>) ?? config.get(setting),
    }),
  ),
)

/** Connections of its own, so that the timeouts of requests stay short. */
const ownPostgres = Layer.unwrap(
  Effect.map(Stores, ({ databaseUrl }) => Layer.fresh(Postgres.layer(databaseUrl))),
).pipe(Layer.provide(withLongTimeouts))

/** Runs the checks and repairs that operators start. */
export const repairs = Layer.provide(repair, ownPostgres)
