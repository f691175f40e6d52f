import { PgClient } from "@effect/sql-pg"
import { Effect, Option, Redacted } from "effect"
import * as Reactivity from "effect/unstable/reactivity/Reactivity"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Redis } from "ioredis"
import type { StoreUnavailable } from "#src/platform/embedded/StoreUnavailable.ts"
import { abandonAfter } from "#src/platform/process/deadline.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { oldestSupported } from "#src/platform/storeChecks.ts"
import { type Finding, fail, ok, warn } from "./Finding.ts"

/** How long a store has to answer; much less than when a service starts. */
export const timeoutMillis = 4000
const noAnswer = `no answer within ${timeoutMillis / 1000} s`

export const defaultPorts = { postgres: 5432, redis: 6379 } as const

/** The address of a store without its password. */
const hostAndPort = (url: Redacted.Redacted<string>, defaultPort: number) => {
  const { hostname, port } = new URL(Redacted.value(url))
  return `${hostname || "localhost"}:${port || defaultPort}`
}

export interface StoreCheck<R> {
  readonly check: "postgres" | "redis"
  readonly variable: string
  readonly given: Option.Option<Redacted.Redacted<string>>
  readonly running: Effect.Effect<Option.Option<Redacted.Redacted<string>>, StoreUnavailable>
  readonly isInstalled: Effect.Effect<unknown, StoreUnavailable>
  /** Connects once; fails with the reason. */
  readonly connect: (url: Redacted.Redacted<string>) => Effect.Effect<Finding, string, R>
  readonly defaultPort: number
}

/** A configured or running store must answer; one that is started on demand must be installed. */
export const storeFinding = Effect.fnUntraced(function* <R>(store: StoreCheck<R>): Effect.fn.Return<Finding, never, R> {
  const { check, variable, given } = store
  const reached = (url: Redacted.Redacted<string>, advice: string) =>
    Effect.catch(store.connect(url), (reason) =>
      Effect.succeed(fail(check, `${hostAndPort(url, store.defaultPort)}: ${reason}`, advice)),
    )
  if (Option.isSome(given))
    return yield* reached(given.value, `check that it is running and that ${variable} is correct`)
  return yield* Effect.gen(function* () {
    const running = yield* store.running
    if (Option.isSome(running)) return yield* reached(running.value, "restart the running instance, which runs it")
    yield* store.isInstalled
    return ok(check, "embedded, not running; 'presage start' starts it")
  }).pipe(Effect.catch((error) => Effect.succeed(fail(check, error.message))))
})

/** An unknown version counts as too old. */
const isOlderThan = (version: string, major: number) => !(Number.parseInt(version, 10) >= major)

export const judgePostgres = (where: string, version: string): Finding =>
  isOlderThan(version, oldestSupported.postgres)
    ? fail(
        "postgres",
        `${where} is version ${version}`,
        `Presage needs Postgres ${oldestSupported.postgres} or newer (DATABASE_URL)`,
      )
    : ok("postgres", `${version}, reachable at ${where}`)

/** Asks a Postgres something, or fails with the reason why it does not answer. */
export const askPostgres = <A>(
  url: Redacted.Redacted<string>,
  ask: (sql: SqlClient) => Effect.Effect<A, SqlError>,
): Effect.Effect<A, string> =>
  PgClient.makeClient({ url, connectTimeout: timeoutMillis, applicationName: "presage doctor" }).pipe(
    Effect.flatMap(ask),
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    Effect.mapError((error) =>
      error.message.includes("parse server response")
        ? "the server there is not Postgres"
        : describe(error).replace(/^Postgres: /, ""),
    ),
    (check) => abandonAfter(check, timeoutMillis + 500, () => noAnswer),
  )

export const checkPostgres = (url: Redacted.Redacted<string>): Effect.Effect<Finding, string> =>
  askPostgres(url, (sql) =>
    Effect.map(sql<{ version: string }>`select current_setting('server_version') as version`, ([row]) =>
      judgePostgres(hostAndPort(url, defaultPorts.postgres), row?.version ?? "unknown"),
    ),
  )

/** Read from INFO, because managed servers refuse CONFIG; a missing field counts as correct. */
const requiredSettings = [
  { setting: "maxmemory-policy", field: "maxmemory_policy", good: "noeviction", risk: "jobs may be evicted" },
  { setting: "appendonly", field: "aof_enabled", good: "1", risk: "a restart loses jobs in progress" },
]

const fieldOf = (info: string, name: string) => new RegExp(`^${name}:(\\S+)`, "m").exec(info)?.[1]

export const judgeRedis = (where: string, info: string): Finding => {
  const version = fieldOf(info, "valkey_version") ?? fieldOf(info, "redis_version") ?? "unknown"
  if (isOlderThan(version, oldestSupported.redis))
    return fail(
      "redis",
      `${where} is version ${version}`,
      `Presage needs Redis ${oldestSupported.redis} or newer (REDIS_URL)`,
    )
  const problems = requiredSettings.flatMap(({ setting, field, good, risk }) => {
    const found = fieldOf(info, field) ?? good
    return found === good ? [] : [`${setting} is ${found === "0" ? "no" : found} (${risk})`]
  })
  const reachable = `${version}, reachable at ${where}`
  return problems.length === 0
    ? ok("redis", reachable)
    : warn(
        "redis",
        [reachable, ...problems].join("; "),
        "set maxmemory-policy noeviction and appendonly yes in its configuration",
      )
}

const redisInfo = (url: Redacted.Redacted<string>) =>
  Effect.callback<string, string>((resume) => {
    const client = new Redis(Redacted.value(url), {
      retryStrategy: null,
      lazyConnect: true,
      connectTimeout: timeoutMillis,
      connectionName: "presage-doctor",
    })
    const settle = (result: Effect.Effect<string, string>) => {
      client.disconnect()
      resume(result)
    }
    // The promise says only "Connection is closed"; the event has the reason.
    client.on("error", (error: Error) =>
      settle(Effect.fail(/Unknown RESP type/.test(error.message) ? "the server there is not Redis" : error.message)),
    )
    client
      .connect()
      .then(() => client.info())
      .then(
        (text) => settle(Effect.succeed(text)),
        (error: Error) => settle(Effect.fail(error.message)),
      )
    return Effect.sync(() => client.disconnect())
  })

export const checkRedis = (url: Redacted.Redacted<string>): Effect.Effect<Finding, string> =>
  Effect.map(
    abandonAfter(redisInfo(url), timeoutMillis + 500, () => noAnswer),
    (text) => judgeRedis(hostAndPort(url, defaultPorts.redis), text),
  )
