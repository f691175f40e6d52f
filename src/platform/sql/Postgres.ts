import { PgClient } from "@effect/sql-pg"
import { Context, Duration, Effect, Layer, Option, RcMap, Redacted, Semaphore } from "effect"
import * as Reactivity from "effect/unstable/reactivity/Reactivity"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Configuration } from "../config/Configuration.ts"
import * as settings from "../config/settings.ts"
import { StoreUnreachable } from "../storeChecks.ts"
import { socketWithTimeout } from "./socketWithTimeout.ts"
import { describeSql, isTransient, retryTransient, reviveCommitFailure, Saturated, type TxError } from "./sqlFailure.ts"

/** The current transaction, for code that runs inside it. */
export class Transaction extends Context.Service<
  Transaction,
  {
    /** Collects items for `work`, which runs once just before COMMIT with all items of its key. */
    readonly beforeCommit: <A>(
      key: string,
      items: ReadonlyArray<A>,
      work: (items: ReadonlyArray<A>) => Effect.Effect<void, SqlError>,
    ) => void
    /** Marks the current state; the returned function drops the items added since. */
    readonly mark: () => () => void
  }
>()("presage/platform/Postgres/Transaction") {}

interface Pending {
  readonly items: Array<unknown>
  readonly work: (items: ReadonlyArray<never>) => Effect.Effect<void, SqlError>
}

const makeTransaction = () => {
  const pending = new Map<string, Pending>()
  const transaction = Transaction.of({
    beforeCommit: (key, items, work) => {
      const entry = pending.get(key) ?? { items: [], work }
      for (const item of items) entry.items.push(item)
      pending.set(key, entry)
    },
    mark: () => {
      const lengths = new Map([...pending].map(([key, { items }]) => [key, items.length]))
      return () => {
        for (const [key, { items }] of pending) items.length = lengths.get(key) ?? 0
      }
    },
  })
  const runHooks = Effect.suspend(() =>
    Effect.forEach(
      pending.values(),
      ({ items, work }) => (items.length === 0 ? Effect.void : work(items as Array<never>)),
      {
        discard: true,
      },
    ),
  )
  return { transaction, runHooks }
}

/** Connection pools of their own, so that a long export does not delay a point read. */
export class Postgres extends Context.Service<
  Postgres,
  {
    /** Transactions and writes. */
    readonly sql: PgClient.PgClient
    /** Short point reads, pipelined over a few connections. */
    readonly reads: PgClient.PgClient
    /**
     * Point reads that are best read in one way, whatever their values: each connection plans a statement once. For those
     * that look up fills, planning takes longer than reading.
     */
    readonly lookups: PgClient.PgClient
    /** Longer reads that are planned once as well, one at a time on each connection: none waits behind another. */
    readonly planned: PgClient.PgClient
    /** Long reads. */
    readonly exports: PgClient.PgClient
    /**
     * The only way to run a transaction: bounded admission time, typed commit failures, `beforeCommit` work last.
     * A nested call is a savepoint of the outer transaction. With a `limit`, each statement may take that long instead of
     * `postgres.statement-timeout`, on a connection outside the pools.
     */
    readonly tx: <A, E, R>(
      body: Effect.Effect<A, E, R>,
      limit?: Duration.Input,
    ) => Effect.Effect<A, E | TxError, Exclude<R, Transaction>>
  }
>()("presage/platform/Postgres") {
  static readonly layer = (url: Redacted.Redacted<string>) =>
    Layer.effect(Postgres, make(url)).pipe(Layer.provide(Reactivity.layer))
}

/** For the long transactions of one limit. */
const longConnections = 3

/** Added to the statement timeout: a server that stays silent this long is unreachable, not slow. */
const unreachableAfterMillis = 10_000

const where = (url: Redacted.Redacted<string>) => {
  const { hostname, port, pathname } = new URL(Redacted.value(url))
  return `${hostname}:${port || 5432}${pathname}`
}

/** Postgres may still be starting, for example when the machine boots: waits up to 30 s and logs it. */
const awaitConnection = (sql: PgClient.PgClient, url: Redacted.Redacted<string>) => {
  const probe = Effect.asVoid(sql`select 1`)
  return Effect.catch(probe, (error) =>
    isTransient(error)
      ? Effect.logWarning(`waiting for Postgres at ${where(url)}: ${describeSql(error)}`).pipe(
          Effect.andThen(retryTransient("30 seconds")(probe)),
        )
      : Effect.fail(error),
  ).pipe(
    Effect.mapError(
      (error) =>
        new StoreUnreachable({
          store: "Postgres",
          variable: settings.databaseUrl.env,
          where: where(url),
          reason: describeSql(error),
        }),
    ),
  )
}

const make = Effect.fnUntraced(function* (url: Redacted.Redacted<string>) {
  const config = yield* Configuration
  const millis = (setting: Parameters<typeof config.get<Duration.Duration>>[0]) =>
    String(Duration.toMillis(config.get(setting)))
  const silence = (limit: Duration.Duration) => Duration.toMillis(limit) + unreachableAfterMillis
  const base = {
    url,
    stream: socketWithTimeout(url, silence(config.get(settings.postgresStatementTimeout))),
    applicationName: "presage",
    // The default of sql-pg, or as patient as with statements.
    connectTimeout: Duration.max(Duration.seconds(5), config.get(settings.postgresStatementTimeout)),
    startupParameters: {
      statement_timeout: millis(settings.postgresStatementTimeout),
      lock_timeout: millis(settings.postgresLockTimeout),
      // A frozen process must not hold its locks longer than its successor waits.
      idle_in_transaction_session_timeout: millis(settings.postgresLockTimeout),
      timezone: "UTC",
      // After five runs Postgres may plan a prepared statement for an average wallet. A busy one then waits a hundred times
      // as long, and so does everyone behind it. Planning takes 0.05 ms, and 1 ms where it considers all months of fills.
      plan_cache_mode: "force_custom_plan",
    },
  }
  const size = config.get(settings.postgresPool)
  const sql = yield* PgClient.make({ ...base, maxConnections: size, idleTimeout: "1 minute" })
  yield* awaitConnection(sql, url)
  const readers = config.get(settings.postgresReadPool)
  const pipelined = { ...base, maxConnections: readers, multiplex: true }
  const reads = yield* PgClient.make({ ...pipelined, applicationName: "presage reads" })
  const plannedOnce = { ...base.startupParameters, plan_cache_mode: "force_generic_plan" }
  const lookups = yield* PgClient.make({
    ...pipelined,
    applicationName: "presage lookups",
    startupParameters: plannedOnce,
  })
  const planned = yield* PgClient.make({
    ...base,
    applicationName: "presage planned",
    maxConnections: readers,
    startupParameters: plannedOnce,
  })
  const exports = yield* PgClient.make({
    ...base,
    applicationName: "presage exports",
    maxConnections: config.get(settings.postgresExportPool),
    stream: socketWithTimeout(url, silence(config.get(settings.postgresExportTimeout))),
    startupParameters: { ...base.startupParameters, statement_timeout: millis(settings.postgresExportTimeout) },
  })

  const longClients = yield* RcMap.make({
    lookup: (limitMillis: number) =>
      PgClient.make({
        ...base,
        applicationName: "presage long",
        maxConnections: longConnections,
        stream: socketWithTimeout(url, limitMillis + unreachableAfterMillis),
        startupParameters: { ...base.startupParameters, statement_timeout: String(limitMillis) },
      }),
    idleTimeToLive: "1 minute",
  })

  // Before the pool, because waiting for a pooled connection inside a transaction is uninterruptible.
  // Two connections stay free for single statements and for LISTEN.
  const admission = yield* Semaphore.make(Math.max(1, size - 2))
  const admitted = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | Saturated, R> =>
    Effect.flatMap(admission.withPermitsIfAvailable(1)(work), (done) =>
      Option.isSome(done)
        ? Effect.succeed(done.value)
        : Effect.suspend(() => {
            let started = false
            const limit = config.get(settings.postgresAdmission)
            const queued = admission.withPermit(
              Effect.andThen(
                Effect.sync(() => {
                  started = true
                }),
                work,
              ),
            )
            const timeout = Effect.flatMap(Effect.sleep(limit), () =>
              started ? Effect.never : Effect.fail(new Saturated({ waitedMillis: Duration.toMillis(limit) })),
            )
            return Effect.raceFirst(queued, timeout)
          }),
    )

  const begin = <A, E, R>(body: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      let bodyDone = false
      const work = makeTransaction()
      return Effect.provideService(body, Transaction, work.transaction).pipe(
        Effect.tap(() => work.runHooks),
        Effect.tap(() =>
          Effect.sync(() => {
            bodyDone = true
          }),
        ),
        sql.withTransaction,
        Effect.catchCause((cause) => Effect.failCause(reviveCommitFailure(cause, bodyDone))),
      )
    })

  /** `sql` counts nested transactions from 0: with -1 it begins one on the given connection. */
  const beginLong = <A, E, R>(body: Effect.Effect<A, E, R>, limit: Duration.Input) =>
    RcMap.get(longClients, Duration.toMillis(limit)).pipe(
      Effect.flatMap(({ reserve }) => reserve),
      Effect.flatMap((connection) => Effect.provideService(begin(body), sql.transactionService, [connection, -1])),
      Effect.scoped,
    )

  /** A savepoint; its `beforeCommit` items count only if it succeeds. */
  const nest = <A, E, R>(outer: Transaction["Service"], body: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      const undo = outer.mark()
      return sql.withTransaction(body).pipe(Effect.onError(() => Effect.sync(undo)))
    })

  const tx = <A, E, R>(body: Effect.Effect<A, E, R>, limit?: Duration.Input) =>
    Effect.contextWith((context: Context.Context<never>) => {
      const outer = Context.getOrUndefined(context as Context.Context<Transaction>, Transaction)
      if (outer !== undefined) return nest(outer, body)
      return limit === undefined ? admitted(begin(body)) : beginLong(body, limit)
    }) as Effect.Effect<A, E | TxError, Exclude<R, Transaction>>

  return Postgres.of({ sql, reads, lookups, planned, exports, tx })
})
