import { PgClient } from "@effect/sql-pg"
import { Context, Duration, Effect, Layer, Option, type Redacted, Semaphore } from "effect"
import * as Reactivity from "effect/unstable/reactivity/Reactivity"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Configuration } from "./Configuration.ts"
import * as settings from "./settings.ts"
import { retryTransient, reviveCommitFailure, Saturated, type TxError } from "./sqlFailure.ts"

/** What code inside a transaction may ask of it. */
export class Transaction extends Context.Service<
  Transaction,
  {
    /** Registers work for just before COMMIT, once per key: later registrations of the same key are ignored. */
    readonly beforeCommit: (key: string, work: Effect.Effect<void, SqlError>) => void
    /** Things that live as long as the transaction, such as the event log's buffer. */
    readonly local: Map<string, unknown>
  }
>()("presage/platform/Postgres/Transaction") {}

/** Which store answers: three pools, because a long export must not make a point read wait. */
export class Postgres extends Context.Service<
  Postgres,
  {
    /** Transactions and writes. */
    readonly sql: PgClient.PgClient
    /** Short point reads, pipelined over few connections. */
    readonly reads: PgClient.PgClient
    /** Long streams. */
    readonly exports: PgClient.PgClient
    /**
     * The only way to run a transaction: admitted within a bounded time, commit failures typed,
     * `beforeCommit` work done last. Nested calls join the outer transaction.
     */
    readonly tx: <A, E, R>(body: Effect.Effect<A, E, R>) => Effect.Effect<A, E | TxError, Exclude<R, Transaction>>
  }
>()("presage/platform/Postgres") {
  static readonly layer = (url: Redacted.Redacted<string>) =>
    Layer.effect(Postgres, make(url)).pipe(Layer.provide(Reactivity.layer))
}

const make = Effect.fnUntraced(function* (url: Redacted.Redacted<string>) {
  const config = yield* Configuration
  const millis = (setting: Parameters<typeof config.get<Duration.Duration>>[0]) =>
    String(Duration.toMillis(config.get(setting)))
  const base = {
    url,
    applicationName: "presage",
    startupParameters: {
      statement_timeout: millis(settings.postgresStatementTimeout),
      lock_timeout: millis(settings.postgresLockTimeout),
      // A frozen process must not hold its locks longer than its successor waits.
      idle_in_transaction_session_timeout: "5000",
      timezone: "UTC",
    },
  }
  const size = config.get(settings.postgresPool)
  const sql = yield* PgClient.make({ ...base, maxConnections: size, idleTimeout: "1 minute" })
  // It may still be starting, as when a whole machine boots.
  yield* sql`select 1`.pipe(retryTransient("30 seconds"))
  const reads = yield* PgClient.make({
    ...base,
    applicationName: "presage reads",
    maxConnections: config.get(settings.postgresReadPool),
    multiplex: true,
  })
  const exports = yield* PgClient.make({
    ...base,
    applicationName: "presage exports",
    maxConnections: config.get(settings.postgresExportPool),
    startupParameters: { ...base.startupParameters, statement_timeout: millis(settings.postgresExportTimeout) },
  })

  // In front of the pool, because waiting for a pooled connection inside a transaction cannot be
  // interrupted. Two connections stay free for single statements and for LISTEN.
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
            const giveUp = Effect.flatMap(Effect.sleep(limit), () =>
              started ? Effect.never : Effect.fail(new Saturated({ waitedMillis: Duration.toMillis(limit) })),
            )
            return Effect.raceFirst(queued, giveUp)
          }),
    )

  const begin = <A, E, R>(body: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      let bodyDone = false
      const hooks = new Map<string, Effect.Effect<void, SqlError>>()
      const transaction = Transaction.of({
        local: new Map(),
        beforeCommit: (key, work) => {
          if (!hooks.has(key)) hooks.set(key, work)
        },
      })
      const runHooks = Effect.suspend(() => Effect.forEach(hooks.values(), (work) => work, { discard: true }))
      return Effect.provideService(body, Transaction, transaction).pipe(
        Effect.tap(() => runHooks),
        Effect.tap(() =>
          Effect.sync(() => {
            bodyDone = true
          }),
        ),
        sql.withTransaction,
        Effect.catchCause((cause) => Effect.failCause(reviveCommitFailure(cause, bodyDone))),
      )
    })

  const tx = <A, E, R>(body: Effect.Effect<A, E, R>) =>
    Effect.contextWith((context: Context.Context<never>) =>
      Context.getOrUndefined(context as Context.Context<Transaction>, Transaction) === undefined
        ? admitted(begin(body))
        : sql.withTransaction(body),
    ) as Effect.Effect<A, E | TxError, Exclude<R, Transaction>>

  return Postgres.of({ sql, reads, exports, tx })
})
