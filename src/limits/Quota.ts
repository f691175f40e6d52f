import { randomUUID } from "node:crypto"
import { Clock, Context, Effect, Layer, Result, Schema } from "effect"
import type { AccountId } from "#src/domain/Account.ts"
import { dayText } from "#src/domain/time.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe, retryTransient } from "#src/platform/sql/sqlFailure.ts"
import type { HeldUnit } from "./QuotaStore.ts"
import * as QuotaStore from "./QuotaStore.ts"

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

/** One unit, charged to the month of the request until it is released. */
export interface Reservation extends HeldUnit {
  readonly status: QuotaStatus
}

/** The unit of a process that died is free again after this time, far beyond that of any request. */
const heldMillis = 600_000

const parallel = { concurrency: "unbounded" } as const

/** Settling is retried for this long: the answer is ready and waits for it. */
const settlePatience = "3 seconds"

export const monthAt = (millis: number) => {
  const date = new Date(millis)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return {
    month: dayText(Date.UTC(year, month)),
    resetAt: Date.UTC(year, month + 1) / 1000,
  }
}

type Refused = QuotaExceeded | QuotaUnavailable

export interface MeteredPieces<A, E, B> {
  /** In the order of the pieces. */
  readonly results: ReadonlyArray<Result.Result<A, E>>
  readonly beside: B
  /** After the request; undefined if it cannot be read. */
  readonly status: QuotaStatus | undefined
}

/** Monthly units of an account, shared by all its keys: reserved before the work, then settled or released. */
export class Quota extends Context.Service<
  Quota,
  {
    /** Charges one unit, if one is left. */
    readonly reserve: (account: AccountId, quota: string, limit: number) => Effect.Effect<Reservation, Refused>
    /** Keeps the unit charged. */
    readonly settle: (reservation: Reservation) => Effect.Effect<QuotaStatus, Refused>
    /** Returns the unit. */
    readonly release: (reservation: Reservation) => Effect.Effect<void, QuotaUnavailable>
    /** Charges a unit for the work, and returns it unless the answer counts. */
    readonly metered: <A, E, R>(
      account: AccountId,
      quota: string,
      limit: number,
      work: Effect.Effect<A, E, R>,
      counts: (answer: A) => boolean,
    ) => Effect.Effect<{ readonly answer: A; readonly status: QuotaStatus }, E | Refused, R>
    /**
     * Charges a unit for each piece of work of one request that succeeds, once all of it and the work beside it are done.
     * If the request fails or is interrupted, nothing is charged. Pieces beyond the limit are not begun.
     */
    readonly meteredEach: <A, E, R, B, E2, R2>(
      account: AccountId,
      quota: string,
      limit: number,
      pieces: ReadonlyArray<Effect.Effect<A, E, R>>,
      beside: Effect.Effect<B, E2, R2>,
    ) => Effect.Effect<MeteredPieces<A, E | Refused, B>, E2, R | R2>
    /** Units charged in the month that begins on this day, without those of requests that have not ended. */
    readonly used: (account: AccountId, quota: string, month: string) => Effect.Effect<number, QuotaUnavailable>
  }
>()("presage/limits/Quota") {
  static readonly layer = Layer.effect(
    Quota,
    Effect.suspend(() => make),
  )
}

const make = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const available = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.mapError(work, (error) => new QuotaUnavailable({ reason: describe(error) }))

  const reserve = Effect.fn("Quota.reserve")(function* (account: AccountId, quota: string, limit: number) {
    const now = yield* Clock.currentTimeMillis
    const { month, resetAt } = monthAt(now)
    const unit: HeldUnit = { id: randomUUID(), account, quota, month, expiresAt: now + heldMillis }
    const take = QuotaStore.take(sql, unit, limit)
    const sweepAndTake = Effect.flatMap(QuotaStore.sweep(sql, unit, now), (freed) => (freed ? take : Effect.undefined))
    const used = yield* available(
      Effect.flatMap(take, (used) => (used === undefined ? sweepAndTake : Effect.succeed(used))),
    )
    if (used === undefined) return yield* new QuotaExceeded({ quota, limit, resetAt })
    return { ...unit, status: { limit, remaining: limit - used, resetAt } }
  })

  const statusOf = ({ account, quota, month, status }: Reservation) =>
    Effect.map(QuotaStore.used(sql, { account, quota, month }), (used) => ({
      ...status,
      remaining: Math.max(0, status.limit - used),
    }))

  const settle = Effect.fn("Quota.settle")(function* (
    reservation: Reservation,
  ): Effect.fn.Return<QuotaStatus, Refused> {
    const { account, quota, status, expiresAt } = reservation
    const held = yield* available(retryTransient(settlePatience)(QuotaStore.keep(sql, reservation)))
    // Not held before its time is over: an earlier attempt was carried out, and its reply was lost.
    if (held || (yield* Clock.currentTimeMillis) < expiresAt) return yield* available(statusOf(reservation))
    return yield* Effect.flatMap(reserve(account, quota, status.limit), settle)
  })

  const release = Effect.fn("Quota.release")((reservation: Reservation) =>
    available(Effect.asVoid(retryTransient(settlePatience)(QuotaStore.giveBack(sql, reservation)))),
  )

  const returnUnit = (reservation: Reservation) =>
    Effect.catch(release(reservation), ({ reason }) =>
      Effect.logWarning(
        `a ${reservation.quota} unit of account ${reservation.account} is returned in ten minutes only: ${reason}`,
      ),
    )

  return Quota.of({
    reserve,
    settle,
    release,
    // Only the work may be interrupted: a unit is charged exactly if this succeeds with an answer that counts.
    metered: (account, quota, limit, work, counts) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const reservation = yield* reserve(account, quota, limit)
          const answer = yield* Effect.onError(restore(work), () => returnUnit(reservation))
          if (counts(answer)) {
            return { answer, status: yield* Effect.onError(settle(reservation), () => returnUnit(reservation)) }
          }
          yield* returnUnit(reservation)
          const { status } = reservation
          return { answer, status: { ...status, remaining: status.remaining + 1 } }
        }),
      ).pipe(Effect.withSpan("Quota.metered")),
    meteredEach: <A, E, R, B, E2, R2>(
      account: AccountId,
      quota: string,
      limit: number,
      pieces: ReadonlyArray<Effect.Effect<A, E, R>>,
      beside: Effect.Effect<B, E2, R2>,
    ) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          type Piece = Result.Result<A, E | Refused>
          const held = yield* Effect.forEach(pieces, () => Effect.result(reserve(account, quota, limit)), parallel)
          const worked = Effect.forEach(
            pieces,
            (piece, i): Effect.Effect<Piece, never, R> => {
              const reservation = held[i]
              if (reservation === undefined || Result.isFailure(reservation))
                return Effect.succeed(reservation as Piece)
              // At once, because another request may need the unit.
              return Effect.result(Effect.onError(piece, () => returnUnit(reservation.success)))
            },
            parallel,
          )
          const returnAll = Effect.forEach(held, (each) =>
            Result.isSuccess(each) ? returnUnit(each.success) : Effect.void,
          )
          const [answers, value] = yield* Effect.onError(
            restore(Effect.all([worked, beside], parallel)),
            () => returnAll,
          )
          const results = yield* Effect.forEach(answers, (answer, i): Effect.Effect<Piece> => {
            const reservation = held[i]
            if (Result.isFailure(answer) || reservation === undefined || Result.isFailure(reservation))
              return Effect.succeed(answer)
            const settled = Effect.onError(settle(reservation.success), () => returnUnit(reservation.success))
            return Effect.match(settled, { onFailure: Result.fail, onSuccess: () => answer })
          })
          const { month, resetAt } = monthAt(yield* Clock.currentTimeMillis)
          const status = yield* Effect.match(QuotaStore.used(sql, { account, quota, month }), {
            onFailure: () => undefined,
            onSuccess: (used): QuotaStatus => ({ limit, remaining: Math.max(0, limit - used), resetAt }),
          })
          return { results, beside: value, status }
        }),
      ).pipe(Effect.withSpan("Quota.meteredEach")),
    used: Effect.fn("Quota.used")((account, quota, month) =>
      available(QuotaStore.used(sql, { account, quota, month })),
    ),
  })
})
