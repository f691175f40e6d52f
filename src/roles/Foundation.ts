import { Effect, Layer } from "effect"
import { migrations } from "#migrations/index.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { EventTail } from "#src/mesh/EventTail.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { keys } from "#src/mesh/Keys.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { eventLogRetention } from "#src/mesh/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { cachedBriefly } from "#src/platform/process/cachedBriefly.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { migrate } from "#src/platform/sql/migrate.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { checkStoreVersions } from "#src/platform/storeChecks.ts"
import { eventLoopLag } from "#src/platform/telemetry/eventLoopLag.ts"
import { Health } from "#src/platform/telemetry/Health.ts"
import { processReporter } from "#src/processes/processReporter.ts"
import { Secrets } from "#src/secrets/Secrets.ts"
import { statusReporter } from "#src/status/statusReporter.ts"
import { Tuning } from "#src/tuning/Tuning.ts"
import { base } from "./Base.ts"
import { clients, Stores } from "./Stores.ts"

/** Checks store versions and migrates the schema before anything uses the stores. */
const migrated = Layer.effectDiscard(
  Effect.gen(function* () {
    const { databaseUrl } = yield* Stores
    const redis = yield* Redis
    yield* checkStoreVersions(
      (yield* Postgres).sql,
      redis.run((client) => client.info("server")),
    )
    const applied = yield* migrate(databaseUrl, migrations)
    if (applied.length > 0) yield* Effect.logInfo(`migrated: ${applied.join(", ")}`)
  }),
)

const partitions = Layer.effectDiscard(
  Effect.gen(function* () {
    const log = yield* EventLog
    yield* log.maintain((yield* Configuration).get(eventLogRetention))
  }),
)

/** For how long the answer of a store counts, so that frequent probes cost it little. */
const probeFor = "1 second"

/** A store that answers but refuses writes is full, read-only or a standby: most work fails. */
const checks = Layer.effectDiscard(
  Effect.gen(function* () {
    const health = yield* Health
    const { sql, reads } = yield* Postgres
    const redis = yield* Redis
    const newest = Object.keys(migrations).length
    const { readinessProbe } = keys(redis.prefix)
    const postgresWrites = yield* cachedBriefly(sql`delete from lease where false`, probeFor)
    const redisWrites = yield* cachedBriefly(
      redis.run((client) => client.set(readinessProbe, "", "EX", 60)),
      probeFor,
    )
    yield* health.register("postgres", Effect.as(Effect.mapError(postgresWrites, describe), undefined))
    yield* health.register("redis", Effect.as(Effect.mapError(redisWrites, describe), undefined))
    yield* health.register(
      "migrations",
      Effect.flatMap(
        Effect.mapError(reads<{ id: number }>`select max(migration_id) as id from migration`, describe),
        ([row]) =>
          (row?.id ?? 0) >= newest
            ? Effect.succeed(`at ${row?.id}`)
            : Effect.fail(`the schema is at ${row?.id ?? 0}, this version needs ${newest}`),
      ),
    )
  }),
)

/** What every process of the service has, whatever its roles: stores, mesh, live settings. */
export const foundation = Layer.mergeAll(
  checks,
  eventLoopLag(),
  Leases.layer,
  EventTail.layer,
  Jobs.layer,
  Tuning.layer,
  Tuning.follow,
  statusReporter,
  processReporter(),
).pipe(
  Layer.provideMerge(partitions),
  Layer.provideMerge(Layer.merge(EventLog.layer, Secrets.layer)),
  Layer.provideMerge(migrated),
  Layer.provideMerge(clients),
  Layer.provideMerge(Stores.layer),
  Layer.provideMerge(base),
)
