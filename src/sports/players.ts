import { marketTypeOf } from "./marketTypes.ts"
import type { SportsMarket } from "./model.ts"

/** Markets about a player begin with the name: "LeBron James: Points O/U 24.5", "Josh Allen: Anytime Touchdown". */
const nameIn = /^([\p{Lu}][\p{L}\p{M}.'’ -]{2,50}?):\s/u

/** The fields that identify the player of a market. */
export type PlayerMarket = Pick<SportsMarket, "sportsType" | "question" | "volume" | "closed">

/** The name of the player that a market is about; undefined if it is about none. */
const playerOf = ({ sportsType, question }: Pick<PlayerMarket, "sportsType" | "question">): string | undefined =>
  sportsType !== null && marketTypeOf(sportsType).category === "player" ? nameIn.exec(question)?.[1]?.trim() : undefined

/** Players of the open markets of a game, those with the most volume first. */
export const playersOf = (markets: ReadonlyArray<PlayerMarket>): ReadonlyArray<string> => {
  const volumes = new Map<string, bigint>()
  for (const market of markets) {
    const player = market.closed ? undefined : playerOf(market)
    if (player !== undefined) volumes.set(player, (volumes.get(player) ?? 0n) + BigInt(market.volume ?? 0))
  }
  return [...volumes].sort(([, a], [, b]) => (a < b ? 1 : a > b ? -1 : 0)).map(([player]) => player)
}
