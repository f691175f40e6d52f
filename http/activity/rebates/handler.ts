import { Clock, Effect, Result } from "effect"
import { Rebates } from "#src/activity/Rebates.ts"
import { exactAmount } from "#src/domain/amounts.ts"
import { allowTime } from "../../server/deadline.ts"
import { unavailable } from "../../server/errors.ts"
import type { RequestOf } from "../../server/RequestOf.ts"
import { objectAnswers } from "../../v3/objects.ts"
import type { ActivityGroup } from "../group.ts"
import { semantics, shownVenue } from "./translate.ts"

const storeFailed = unavailable("rebates")

const today = Effect.map(Clock.currentTimeMillis, (now) => new Date(now).toISOString().slice(0, 10))

export const rebatesHandler = Effect.gen(function* () {
  const rebates = yield* Rebates
  const object = yield* objectAnswers
  return ({ request, params: { address }, query }: RequestOf<typeof ActivityGroup, "rebates">) => {
    // Includes a request to the venue.
    allowTime(request, "5 seconds")
    return object(
      "facts",
      Effect.gen(function* () {
        const date = query.date ?? (yield* today)
        const { fromVenue, paid, payments, asOf } = yield* Effect.catch(rebates.onDay(address, date), storeFailed)
        if (Result.isFailure(fromVenue)) yield* Effect.logWarning(`rebates: ${fromVenue.failure.message}`)
        const body = {
          address,
          date,
          ...shownVenue(fromVenue),
          paid_on_chain_usdc: exactAmount(paid),
          payments_on_chain: payments,
          source: "venue",
          rebate_semantics: semantics,
        }
        return { body, asOf }
      }),
    )
  }
})
