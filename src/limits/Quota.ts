import { Clock, Context, Effect, Exit, Layer, Schema } from "effect"
import type { AccountId } from "#src/domain/Account.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"

/** No units left this month; nothing was charged. */
export class QuotaExceeded extends Schema.TaggedError<QuotaExceeded>()("QuotaExceeded", {
  quota: Schema.String,
  limit: Schema.Number,
  /** Unix seconds. */
  resetAt: Schema.Number,
}) {
  override get message() {
    return `All ${this.limit} ${this.quota} requests of this month are used. Retry after ${this.resetAt}.`
  }
}

/** The quota could not be checked, so the request is refused. */
export class QuotaUnavailable extends Schema.TaggedError<QuotaUnavailable>()("QuotaUnavailable", {
  reason: Schema.String,
}) {
  override get message() {
    return this.reason
  }
}

export interface QuotaStatus {
  readonly limit: number
  readonly remaining: number
  /** Unix seconds: midnight UTC on the 1st. */
  readonly resetAt: number
}

/** One unit, charged to the month of the request. */
export interface Reservation {
  readonly account: AccountId
  readonly quota: string
  /** First day of the month. */
  readonly month: string
  readonly status: QuotaStatus
}

const monthAt = (millis: number) => {
  const date = new Date(millis)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return {
    month: new Date(Date.UTC(year, month)).toISOString().slice(0, 10),
    resetAt: Date.UTC(year, month + 1) / 1000,
  }
}

/** Monthly units of an account, shared by all its keys. */
export class Quota extends Context.Service<
  Quota,
  {
    /** Charges one unit, if one is left. */
    readonly reserve: (
      account: AccountId,
      quota: string,
      limit: number,
    ) => Effect.Effect<Reservation, QuotaExceeded | QuotaUnavailable>
    /** Returns the unit. */
    readonly release: (reservation: Reservation) => Effect.Effect<void, QuotaUnavailable>
    /** Charges a unit for the work, and returns it unless the answer counts. */
    readonly metered: <A, E, R>(
      account: AccountId,
      quota: string,
      limit: number,
      work: Effect.Effect<A, E, R>,
      counts: (answer: A) => boolean,
    ) => Effect.Effect<{ readonly answer: A; readonly status: QuotaStatus }, E | QuotaExceeded | QuotaUnavailable, R>
  }
>()("presage/limits/Quota") {
  static readonly layer = Layer.effect(
    Quota,
    Effect.suspend(() => make),
  )
}

const make = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const unavailable = (error: unknown) => new QuotaUnavailable({ reason: describe(error) })

  const reserve = Effect.fn("Quota.reserve")(function* (account: AccountId, quota: string, limit: number) {
    const { month, resetAt } = monthAt(yield* Clock.currentTimeMillis)
    const [row] = yield* Effect.mapError(
      sql<{ used: number }>`
        insert into quota_month as q (account_id, quota, month, used)
        select ${account}::uuid, ${quota}, ${month}::date, 1 where ${limit}::integer > 0
        on conflict (account_id, quota, month) do update set used = q.used + 1 where q.used < ${limit}::integer
        returning used`,
      unavailable,
    )
    if (row === undefined) return yield* new QuotaExceeded({ quota, limit, resetAt })
    return { account, quota, month, status: { limit, remaining: limit - row.used, resetAt } }
  })

  const release = ({ account, quota, month }: Reservation) =>
    sql`
      update quota_month set used = used - 1
      where account_id = ${account}::uuid and quota = ${quota} and month = ${month}::date and used > 0`.pipe(
      Effect.mapError(unavailable),
      Effect.asVoid,
    )

  // Not retried: when the reply is lost, the unit may have been returned already.
  const returnUnit = (reservation: Reservation) =>
    Effect.catch(release(reservation), ({ reason }) =>
      Effect.logWarning(
        `a ${reservation.quota} unit of account ${reservation.account} may not have been returned: ${reason}`,
      ),
    )

  return Quota.of({
    reserve,
    release,
    metered: (account, quota, limit, work, counts) =>
      Effect.acquireUseRelease(
        reserve(account, quota, limit),
        ({ status }) =>
          Effect.map(work, (answer) => ({
            answer,
            status: counts(answer) ? status : { ...status, remaining: status.remaining + 1 },
          })),
        (reservation, exit) =>
          Exit.isSuccess(exit) && counts(exit.value.answer) ? Effect.void : returnUnit(reservation),
      ),
  })
})
