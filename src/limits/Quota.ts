import { Clock, Context, Effect, Exit, Layer, Schema } from "effect"
import type { AccountId } from "#src/domain/Account.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"

/** All units of the month are used; nothing was charged. */
export class QuotaUsedUp extends Schema.TaggedError<QuotaUsedUp>()("QuotaUsedUp", {
  quota: Schema.String,
  limit: Schema.Number,
  /** Unix seconds. */
  resetAt: Schema.Number,
}) {
  override get message() {
    return `All ${this.limit} ${this.quota} requests of this month are used. Retry after ${this.resetAt}.`
  }
}

/** The quota could not be asked, so nothing is given away. */
export class QuotaAway extends Schema.TaggedError<QuotaAway>()("QuotaAway", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

export interface QuotaStanding {
  readonly limit: number
  readonly remaining: number
  /** Unix seconds: midnight UTC on the 1st. */
  readonly resetAt: number
}

/** One unit, charged to the month in which it was asked for. */
export interface Reservation {
  readonly account: AccountId
  readonly quota: string
  /** Its first day. */
  readonly month: string
  readonly standing: QuotaStanding
}

const monthAt = (millis: number) => {
  const date = new Date(millis)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return {
    month: new Date(Date.UTC(year, month)).toISOString().slice(0, 10),
    resetAt: Date.UTC(year, month + 1) / 1000,
  }
}

/** Units that an account may use in a month, shared by all its keys. */
export class Quota extends Context.Service<
  Quota,
  {
    /** Charges one unit, if there is one. */
    readonly reserve: (
      account: AccountId,
      quota: string,
      limit: number,
    ) => Effect.Effect<Reservation, QuotaUsedUp | QuotaAway>
    /** Gives the unit back. */
    readonly release: (reservation: Reservation) => Effect.Effect<void, QuotaAway>
    /** Charges a unit for the work, and keeps it only for an answer that counts. */
    readonly metered: <A, E, R>(
      account: AccountId,
      quota: string,
      limit: number,
      work: Effect.Effect<A, E, R>,
      counts: (answer: A) => boolean,
    ) => Effect.Effect<{ readonly answer: A; readonly standing: QuotaStanding }, E | QuotaUsedUp | QuotaAway, R>
  }
>()("presage/limits/Quota") {
  static readonly layer = Layer.effect(
    Quota,
    Effect.suspend(() => make),
  )
}

const make = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const away = (error: unknown) => new QuotaAway({ reason: describe(error) })

  const reserve = Effect.fnUntraced(function* (account: AccountId, quota: string, limit: number) {
    const { month, resetAt } = monthAt(yield* Clock.currentTimeMillis)
    const [row] = yield* Effect.mapError(
      sql<{ used: number }>`
        insert into quota_month as q (account_id, quota, month, used)
        select ${account}::uuid, ${quota}, ${month}::date, 1 where ${limit}::integer > 0
        on conflict (account_id, quota, month) do update set used = q.used + 1 where q.used < ${limit}::integer
        returning used`,
      away,
    )
    if (row === undefined) return yield* new QuotaUsedUp({ quota, limit, resetAt })
    return { account, quota, month, standing: { limit, remaining: limit - row.used, resetAt } }
  })

  const release = ({ account, quota, month }: Reservation) =>
    sql`
      update quota_month set used = used - 1
      where account_id = ${account}::uuid and quota = ${quota} and month = ${month}::date and used > 0`.pipe(
      Effect.mapError(away),
      Effect.asVoid,
    )

  // Only once: of an answer that was lost nobody knows whether the unit was given back already.
  const giveBack = (reservation: Reservation) =>
    Effect.catch(release(reservation), ({ reason }) =>
      Effect.logWarning(
        `a ${reservation.quota} unit of account ${reservation.account} may not have been given back: ${reason}`,
      ),
    )

  return Quota.of({
    reserve,
    release,
    metered: (account, quota, limit, work, counts) =>
      Effect.acquireUseRelease(
        reserve(account, quota, limit),
        ({ standing }) =>
          Effect.map(work, (answer) => ({
            answer,
            standing: counts(answer) ? standing : { ...standing, remaining: standing.remaining + 1 },
          })),
        (reservation, exit) =>
          Exit.isSuccess(exit) && counts(exit.value.answer) ? Effect.void : giveBack(reservation),
      ),
  })
})
