import { hash } from "../random.ts"
import type { Game, Millis } from "../world/model.ts"

/** Leagues in which it is told who has the ball. */
const footballLeagues = new Set(["nfl", "cfb"])

const driveMillis = 180_000

/** How long a side keeps the ball, where that is told at all. */
export const possessionMillis = ({ league }: Game): Millis | undefined =>
  footballLeagues.has(league) ? driveMillis : undefined

/** The side that has the ball, by its abbreviation; nobody has it in a break or after the end. */
export const turnOf = (game: Game, period: string | undefined, at: Millis): string | undefined => {
  if (!footballLeagues.has(game.league) || at < game.startsAt || at >= game.endsAt || period === "HT") return undefined
  const drive = Math.floor((at - game.startsAt) / driveMillis)
  return ((hash(game.id, 1) + drive) % 2 === 0 ? game.home : game.away).abbreviation
}
