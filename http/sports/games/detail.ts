import { Clock, Effect } from "effect"
import type { EventKey } from "#src/sports/EventStore.ts"
import { Leagues } from "#src/sports/Leagues.ts"
import { gameHandlers, whileInPlay } from "./cached.ts"
import { findGame } from "./find.ts"
import { shownDetail } from "./translate.ts"

/** A game with its teams and markets. */
export const detailHandlers = Effect.gen(function* () {
  const leagues = yield* Leagues
  const handlers = yield* gameHandlers
  const find = yield* findGame

  const read = Effect.fnUntraced(function* (key: EventKey, _: unknown, ws: string) {
    const found = yield* find(key)
    const { homeTeam = null, awayTeam = null } = found.value.event.game ?? {}
    // The game is worth more than its teams.
    const teams = yield* Effect.orElseSucceed(
      leagues.teamsById([homeTeam, awayTeam].flatMap((id) => id ?? [])),
      () => [],
    )
    const now = yield* Clock.currentTimeMillis
    return { value: shownDetail(found, teams, ws, now), dataAt: found.at }
  })
  return handlers("sports-game", whileInPlay, read)
})
