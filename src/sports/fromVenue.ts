import type { CatalogueEvent, Market } from "#src/domain/Catalogue.ts"
import { phaseOf } from "#src/domain/Game.ts"
import { tokenOfHex } from "#src/domain/TokenId.ts"
import type { GameSort, GameStatus, GamesQuery } from "./EventStore.ts"
import { type Micro, type SportsEvent, type SportsMarket, statusOf } from "./model.ts"

const toMarket = (market: Market, event: number): SportsMarket => ({
  ...market,
  event,
  condition: market.condition === null ? null : `0x${market.condition}`,
  tokens: market.tokens.map(tokenOfHex),
})

/** An event as the venue lists it. The venue does not say when the state of a game was reported. */
export const fromVenue = (event: CatalogueEvent): SportsEvent => ({
  ...event,
  series: event.series?.id ?? null,
  game: event.game === null ? null : { ...event.game, phase: phaseOf(event.game.state), heardAt: null },
  markets: event.markets.filter(({ archived }) => !archived).map((market) => toMarket(market, event.id)),
})

const hasStatus = (event: SportsEvent, status: GameStatus): boolean => {
  if (status === "all") return true
  if (status === "closed") return event.closed
  if (status === "active") return !event.closed
  return statusOf(event) === status
}

const sortKeys: Readonly<Record<GameSort, (event: SportsEvent) => Micro | null>> = {
  startDate: ({ startsAt }) => startsAt,
  startTime: ({ opensAt }) => opensAt,
  endDate: ({ endsAt }) => endsAt,
  volume24hr: ({ volumeDay }) => volumeDay,
  volume: ({ volume }) => volume,
  liquidity: ({ liquidity }) => liquidity,
  id: ({ id }) => id,
}

const compared = (a: Micro | null, b: Micro | null) => (a === b ? 0 : Number(a) < Number(b) ? -1 : 1)

/** What the catalogue would answer, of the events of a series. */
export const selectGames = (
  events: ReadonlyArray<SportsEvent>,
  { status, sort, direction, limit, offset }: GamesQuery,
): ReadonlyArray<SportsEvent> => {
  const key = sortKeys[sort]
  const sign = direction === "asc" ? 1 : -1
  return events
    .filter((event) => event.parent === null && hasStatus(event, status))
    .sort((a, b) => {
      const [first, second] = [key(a), key(b)]
      if ((first === null) !== (second === null)) return first === null ? 1 : -1
      return sign * (compared(first, second) || a.id - b.id)
    })
    .slice(offset, offset + limit)
}

/** Whether the venue has to be asked for open events, closed ones, or both. */
export const isClosedOf = (status: GameStatus): ReadonlyArray<boolean> => {
  if (status === "closed") return [true]
  return ["active", "live", "scheduled"].includes(status) ? [false] : [false, true]
}
