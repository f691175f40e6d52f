import { Effect, Layer, Redacted } from "effect"
import type { AnySetting } from "#src/platform/config/Setting.ts"
import { poll } from "#src/platform/embedded/waiting.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Stores } from "#src/roles/Stores.ts"
import { patient } from "#test/support/patience.ts"
import { testFoundation, testSecret } from "#test/support/TestStores.ts"

/** A separate database and key prefix, the test's tables, and the services of the foundation. */
export const sandbox = (
  tables: ReadonlyArray<string>,
  more: ReadonlyArray<AnySetting> = [],
  flags: Readonly<Record<string, string>> = {},
) =>
  Layer.effectDiscard(
    Effect.flatMap(Postgres, ({ sql }) => Effect.forEach(tables, (table) => sql.unsafe(table), { discard: true })),
  ).pipe(Layer.provideMerge(testFoundation(flags, more)))

/** Settings that point a process to the sandbox. */
export const sandboxEnvironment = Effect.gen(function* () {
  const { databaseUrl, redisUrl } = yield* Stores
  const { prefix } = yield* Redis
  return {
    DATABASE_URL: Redacted.value(databaseUrl),
    REDIS_URL: Redacted.value(redisUrl),
    REDIS_PREFIX: prefix,
    LOG_FORMAT: "pretty",
    PRESAGE_SECRET: testSecret,
  }
})

/** Waits for the condition and returns the time it took; fails with `what` when it does not hold in time. */
export const eventually = <E, R>(
  what: string,
  withinMillis: number,
  check: Effect.Effect<boolean, E, R>,
  everyMillis = 40,
) =>
  Effect.gen(function* () {
    const since = performance.now()
    const held = yield* poll(
      Effect.map(check, (holds) => (holds ? true : undefined)),
      { forMillis: patient(withinMillis), everyMillis },
    )
    if (held === undefined) return yield* Effect.die(new Error(`not within ${withinMillis} ms: ${what}`))
    return Math.round(performance.now() - since)
  })
