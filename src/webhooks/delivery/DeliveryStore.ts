import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { gather } from "#src/platform/process/gather.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { claimAll } from "./claimAll.ts"
import type { Asked, Claim, Claiming, Outcome, Overdue, Recorded } from "./model.ts"
import { overdueOf } from "./overdueOf.ts"
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
    /** What should long have been tried, some of every webhook: nobody knows of it, or whoever did is gone. */
    readonly overdue: (now: number) => Effect.Effect<ReadonlyArray<Overdue>, SqlError>
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

      return DeliveryStore.of({
        claim,
        record,
        release: (one, nextAt) => releaseOne({ claim: one, nextAt }),
        overdue: (now) => overdueOf(sql, now),
      })
    }),
  )
}

const together = { most: 256, sideBySide: 2 }
