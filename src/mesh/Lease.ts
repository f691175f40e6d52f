import { Context, Duration, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Postgres, type Transaction } from "#src/platform/sql/Postgres.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"

/** Another process has taken over: writes of this holder must have no effect. */
export class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", {
  lease: Schema.String,
  epoch: Schema.BigInt,
}) {
  override get message() {
    return `the lease on ${this.lease} (epoch ${this.epoch}) has passed to another process`
  }
}

/** The right to act as `name`, until another process takes a higher epoch. */
export interface Lease {
  readonly name: string
  readonly epoch: bigint
  /** A transaction that commits only while the lease is still held; a successor waits for it. */
  readonly tx: <A, E, R>(
    body: Effect.Effect<A, E, R>,
    limit?: Duration.Input,
  ) => Effect.Effect<A, E | TxError | LeaseLost, Exclude<R, Transaction>>
}

export interface HeldLease {
  readonly name: string
  readonly epoch: bigint
  readonly takenAt: Date
}

/** A lease that ends later than this many of its terms was extended while the clock of Postgres was ahead. */
const tooFar = 10

/**
 * No lock keeps a frozen and revived process from running for a moment beside its successor. A lease does not try to:
 * it numbers the holders, and every write checks the number.
 */
export class Leases extends Context.Service<
  Leases,
  {
    /** Takes the lease from its present holder. */
    readonly seize: (name: string) => Effect.Effect<Lease, SqlError>
    /** Takes the lease if it is free or has expired; the holder must `extend` it within `ttl`. */
    readonly tryTake: (name: string, ttl: Duration.Duration) => Effect.Effect<Option.Option<Lease>, SqlError>
    readonly extend: (lease: Lease, ttl: Duration.Duration) => Effect.Effect<void, SqlError | LeaseLost>
    readonly release: (lease: Lease) => Effect.Effect<void, SqlError>
    /** The leases of actors, by name; they have no end. */
    readonly held: Effect.Effect<ReadonlyArray<HeldLease>, SqlError>
  }
>()("presage/mesh/Leases") {
  static readonly layer = Layer.effect(
    Leases,
    Effect.gen(function* () {
      const { sql, tx } = yield* Postgres

      const lease = (name: string, epoch: bigint): Lease => {
        const check = Effect.flatMap(
          sql`select 1 from lease where name = ${name} and epoch = ${epoch} for share`,
          (rows) => (rows.length === 1 ? Effect.void : Effect.fail(new LeaseLost({ lease: name, epoch }))),
        )
        return { name, epoch, tx: (body, limit) => tx(Effect.andThen(check, body), limit) }
      }
      const seconds = (ttl: Duration.Duration) => Duration.toSeconds(ttl)

      return Leases.of({
        seize: (name) =>
          Effect.map(
            sql<{ epoch: bigint }>`
              insert into lease (name) values (${name})
              on conflict (name) do update set epoch = nextval('lease_epoch'), taken_at = now(), expires_at = null
              returning epoch`,
            ([row]) => lease(name, (row as { epoch: bigint }).epoch),
          ),
        tryTake: (name, ttl) =>
          Effect.map(
            sql<{ epoch: bigint }>`
              insert into lease (name, expires_at) values (${name}, now() + make_interval(secs => ${seconds(ttl)}))
              on conflict (name) do update
                set epoch = nextval('lease_epoch'), taken_at = now(), expires_at = excluded.expires_at
                where lease.expires_at < now()
                  or lease.expires_at > now() + make_interval(secs => ${tooFar * seconds(ttl)})
              returning epoch`,
            ([row]) => Option.map(Option.fromUndefinedOr(row), ({ epoch }) => lease(name, epoch)),
          ),
        extend: ({ name, epoch }, ttl) =>
          Effect.flatMap(
            sql`update lease set expires_at = now() + make_interval(secs => ${seconds(ttl)})
                where name = ${name} and epoch = ${epoch} returning 1`,
            (rows) => (rows.length === 1 ? Effect.void : Effect.fail(new LeaseLost({ lease: name, epoch }))),
          ),
        held: sql<HeldLease>`
          select name, epoch, taken_at as "takenAt" from lease where expires_at is null order by name`,
        release: ({ name, epoch }) => Effect.asVoid(sql`delete from lease where name = ${name} and epoch = ${epoch}`),
      })
    }),
  )
}
