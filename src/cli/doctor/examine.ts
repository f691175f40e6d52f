import { Effect, Option } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import * as settings from "#src/platform/config/settings.ts"
import { findPostgres } from "#src/platform/embedded/postgresBinaries.ts"
import { findRedis } from "#src/platform/embedded/Redis.ts"
import { peek, type StoreAddresses } from "#src/platform/embedded/Stores.ts"
import { directoryFindings } from "./directory.ts"
import { type Finding, fail, ok } from "./Finding.ts"
import { portFinding } from "./ports.ts"
import * as postgres from "./postgres.ts"
import { patienceMillis, storeFinding } from "./reach.ts"
import * as redis from "./redis.ts"

const node = Effect.sync(() =>
  Number.parseInt(process.versions.node, 10) >= 22
    ? ok("node", process.versions.node)
    : fail("node", process.versions.node, "run it with 'npm start' or 'npm run presage', which bring Node 22 along"),
)

/** Everything Presage needs, looked at side by side. */
export const examine: Effect.Effect<ReadonlyArray<Finding>, never, Configuration> = Effect.gen(function* () {
  const config = yield* Configuration
  const dir = config.get(settings.presageDir)
  const databaseUrl = config.get(settings.databaseUrl)
  const redisUrl = config.get(settings.redisUrl)
  const stores = yield* Effect.cached(peek({ dir, databaseUrl, redisUrl }, patienceMillis))
  const running = (url: (stores: StoreAddresses) => StoreAddresses["databaseUrl"]) =>
    Effect.map(stores, (found) => Option.map(found, url))
  const findings = yield* Effect.all(
    [
      node,
      Effect.sync(() => directoryFindings(dir, Option.isNone(Option.all([databaseUrl, redisUrl])))),
      storeFinding({
        check: "postgres",
        variable: settings.databaseUrl.env,
        given: databaseUrl,
        running: running((found) => found.databaseUrl),
        isInstalled: findPostgres,
        look: postgres.lookAtPostgres,
        usualPort: postgres.usualPort,
      }),
      storeFinding({
        check: "redis",
        variable: settings.redisUrl.env,
        given: redisUrl,
        running: running((found) => found.redisUrl),
        isInstalled: findRedis,
        look: redis.lookAtRedis,
        usualPort: redis.usualPort,
      }),
      portFinding(settings.port),
      portFinding(settings.wsPort),
    ],
    { concurrency: "unbounded" },
  )
  return findings.flat()
})
