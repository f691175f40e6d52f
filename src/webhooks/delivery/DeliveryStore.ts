import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { gather } from "#src/platform/gather.ts"
import { Postgres } from "#src/platform/Postgres.ts"
import { pgArray } from "#src/platform/pgArray.ts"
import type { Attempt } from "../contracts.ts"
import { claimAll } from "./claimAll.ts"
import type { Asked, Claim, Claiming, Outcome, Recorded } from "./model.ts"
import { recordAll } from "./recordAll.ts"

/** The rows of what is owed. Asked for one by one, answered many at a time. */
export class DeliveryStore extends Context.Service<
  DeliveryStore,
  {
    /** Takes an attempt if it is due and nobody else has it. Where the webhook is not active, it is held instead. */
    readonly claim: (asked: Asked) => Effect.Effect<Claiming, SqlError>
    /** Gives an attempt back that was not made, to be made not before a moment. */
    readonly release: (claim: Claim, nextAt: Date) => Effect.Effect<void, SqlError>
    /** Writes down what came of an attempt, if it is still ours. */
    readonly record: (outcome: Outcome) => Effect.Effect<Recorded, SqlError>
    /** What should long have been tried: nobody knows of it, or whoever did is gone. */
    readonly overdue: (now: number) => Effect.Effect<ReadonlyArray<Attempt>, SqlError>
  }
>()("presage/webhooks/DeliveryStore") {
  static readonly layer = Layer.effect(
    DeliveryStore,
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const claim = yield* gather((asked: ReadonlyArray<Asked>) => claimAll(sql, asked), together)
      const record = yield* gather((outcomes: ReadonlyArray<Outcome>) => recordAll(sql, outcomes), together)
      const releaseOne = yield* gather(
        (returned: ReadonlyArray<{ readonly claim: Claim; readonly nextAt: Date }>) =>
          Effect.as(
            sql`
              update webhook_delivery d set attempt = u.attempt - 1, claimed_until = null,
                next_at = greatest(d.next_at, u.next_at)
              from unnest(
                ${pgArray(
                  "int8",
                  returned.map((each) => BigInt(each.claim.delivery)),
                )},
                ${pgArray(
                  "int4",
                  returned.map((each) => each.claim.attempt),
                )},
                ${pgArray(
                  "timestamptz",
                  returned.map((each) => each.claim.until),
                )},
                ${pgArray(
                  "timestamptz",
                  returned.map((each) => each.nextAt),
                )}
              ) u(id, attempt, until, next_at)
              where d.id = u.id and d.attempt = u.attempt and d.claimed_until = u.until and d.status = 'pending'`,
            returned.map(() => undefined),
          ),
        together,
      )

      const overdue = (now: number) =>
        Effect.map(
          sql<{ delivery: string; attempt: number }>`
            select id::text as delivery, case when claimed_until is null then attempt + 1 else attempt end as attempt
            from webhook_delivery
            where status = 'pending' and next_at <= ${new Date(now - onItsWay)}::timestamptz
              and (claimed_until is null or claimed_until <= ${new Date(now)}::timestamptz)
            order by next_at limit ${mostOverdue}`,
          (rows): ReadonlyArray<Attempt> => rows,
        )

      return DeliveryStore.of({
        claim,
        record,
        release: (one, nextAt) => releaseOne({ claim: one, nextAt }),
        overdue,
      })
    }),
  )
}

const together = { most: 256, sideBySide: 2 }
/** What became due this recently has a job that is about to run. */
const onItsWay = 3_000
const mostOverdue = 10_000
