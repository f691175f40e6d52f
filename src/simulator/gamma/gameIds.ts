import { hash, hexOf, seedOf } from "../random.ts"
import type { Game, MarketPlan } from "../world/model.ts"
import type { Event } from "../world/Venue.ts"

/** Leagues whose games have no number, like cricket at the real venue. */
const namedLeagues = new Set(["atp"])

/** The id of a game without a number. */
const nameOf = ({ id, league }: Game): string | undefined =>
  namedLeagues.has(league) ? `id27${String(id).padStart(14, "0")}` : undefined

/** The id by which catalogue and scores know a game. */
export const publicGameId = (game: Game): string => nameOf(game) ?? String(game.id)

/** Some events without a game have -1 instead of no id. */
export const gameIdOfEvent = ({ index, plan }: Event): number | undefined => {
  if (plan.game === undefined) return hash(index, 31) % 6 === 0 ? -1 : undefined
  return nameOf(plan.game) === undefined ? plan.game.id : undefined
}

/** An open object, in which games without a number have their id. */
export const gameMetadata = (game: Game) => ({
  league: game.league,
  gameId: nameOf(game),
  context_description: `${game.away.name} (${game.away.record}) play ${game.home.name} (${game.home.record}).`,
})

const uuids = seedOf(0, "game ids")

const uuidOf = ({ id }: Game): string => {
  const digits = hexOf(16, uuids, id)
  return [0, 8, 12, 16, 20].map((from, i) => digits.slice(from, [8, 12, 16, 20, 32][i])).join("-")
}

/** A string: usually the number; for some games one with the sides, and only on the main market. */
export const gameIdOfMarket = (game: Game, { sportsMarketType }: MarketPlan): string | undefined => {
  if (nameOf(game) !== undefined) return undefined
  if (hash(game.id, 32) % 3 !== 0) return String(game.id)
  const sides = [game.home, game.away].map(({ abbreviation }) => abbreviation.toUpperCase())
  return sportsMarketType === "moneyline" ? [uuidOf(game), ...sides].join(":") : undefined
}

/** How a score message names its game: never both. */
export const gameIdOfScore = (game: Game) => {
  const name = nameOf(game)
  return name === undefined ? { gameId: game.id } : { metadataGameId: name }
}
