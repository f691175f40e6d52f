import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { exactAmount } from "#src/domain/amounts.ts"
import { Rollups } from "#src/rollups/Rollups.ts"
import { Api } from "../../Api.ts"
import { Unavailable, unavailable } from "../../server/errors.ts"
import { datedAnswers, objectAnswers } from "../../v3/objects.ts"
import { shownInterest, shownStats, shownVolume } from "./translate.ts"

const storeFailed = unavailable("rollups")

const notAddedUp = new Unavailable({
  error: "The totals are not added up yet.",
  hint: "They follow the leaderboards; see GET /v1/status.",
})

export const VolumesHandlers = HttpApiBuilder.group(
  Api,
  "volumes",
  Effect.fnUntraced(function* (handlers) {
    const rollups = yield* Rollups
    const dated = yield* datedAnswers
    const object = yield* objectAnswers
    const totals = Effect.flatMap(Effect.catch(rollups.totals, storeFailed), ({ found, asOf }) =>
      found === undefined ? Effect.fail(notAddedUp) : Effect.succeed({ found, asOf }),
    )

    return handlers
      .handleRaw("volume", ({ params: { token_id } }) =>
        dated(
          "facts",
          Effect.map(Effect.catch(rollups.volumeOf(token_id), storeFailed), ({ found, asOf }) => ({
            body: shownVolume(token_id, found),
            asOf,
          })),
        ),
      )
      .handleRaw("ofMarket", ({ params: { condition_id } }) =>
        dated(
          "facts",
          Effect.map(Effect.catch(rollups.openInterestOf(condition_id), storeFailed), ({ found, asOf }) => ({
            body: shownInterest(condition_id, found),
            asOf,
          })),
        ),
      )
      .handleRaw("ofAll", () =>
        dated(
          "facts",
          Effect.map(totals, ({ found, asOf }) => ({
            body: { source: "onchain", open_interest_usdc: exactAmount(found.openInterest) },
            asOf,
          })),
        ),
      )
      .handleRaw("stats", () =>
        object(
          "facts",
          Effect.map(totals, ({ found, asOf }) => ({ body: shownStats(found), asOf })),
        ),
      )
  }),
)
