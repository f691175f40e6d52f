import { Clock, Effect } from "effect"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import { Listings } from "#src/sports/Listings.ts"
import { gatewayAddress } from "../../../server/gatewayAddress.ts"
import type { RequestOf } from "../../../server/RequestOf.ts"
import type { SportsGroup } from "../../group.ts"
import { limits } from "../../parameters.ts"
import { gamesText, refusal, shownOrigin } from "../../translate.ts"

/** The games of a league. */
export const leagueGamesHandler = Effect.gen(function* () {
  const listings = yield* Listings
  const gateway = yield* gatewayAddress
  return Effect.fnUntraced(function* ({ params: { league }, query }: RequestOf<typeof SportsGroup, "games">) {
    const { status = "active", sort = "startDate", direction = "desc" } = query
    const { limit = limits.games.default, offset = 0 } = query
    const wanted = { status, sort, direction, limit: limit + 1, offset }
    const { series, ...sourced } = yield* Effect.catch(listings.games(league, wanted), refusal)
    const now = yield* Clock.currentTimeMillis
    const ws = String(yield* gateway)
    const shown = sourced.value.slice(0, limit)
    const origin = shownOrigin(sourced, now)
    const rest = {
      league: league.toLowerCase(),
      status,
      series_id: series === null ? null : String(series),
      count: shown.length,
      limit,
      offset,
      has_more: sourced.value.length > limit,
      ...origin,
    }
    return HttpServerResponse.text(gamesText(rest, shown, sourced, ws, now), {
      contentType: "application/json",
      headers: { "x-data-age-ms": String(origin.age_ms) },
    })
  })
})
