import { gameStateAt } from "../gamma/game.ts"
import { hash } from "../random.ts"
import { EventQueue } from "../world/EventQueue.ts"
import type { Game, Millis, ScoreChange } from "../world/model.ts"
import type { Event, Venue } from "../world/Venue.ts"

/** Leagues that report possession. */
export const footballLeagues = new Set(["nfl", "cfb"])

const driveMillis = 180_000

/** How long a side keeps the ball; undefined for other leagues. */
const possessionMillis = ({ league }: Game): Millis | undefined =>
  footballLeagues.has(league) ? driveMillis : undefined

/** A game whose state changes at a time. */
export interface GameUpdate {
  readonly game: Game
  readonly at: Millis
}

/** A game is announced as scheduled this long before its start. */
const noticeMillis = 600_000

const nextChange = ({ scores }: Game, after: Millis): Millis | undefined => {
  let low = 0
  let high = scores.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((scores[middle] as ScoreChange).at <= after) low = middle + 1
    else high = middle
  }
  return scores[low]?.at
}

/** When the next update is due. Scores are read only after the start, because they are computed on first use. */
const nextUpdateAt = (game: Game, after: Millis): Millis | undefined => {
  if (after < game.startsAt - noticeMillis) return game.startsAt - noticeMillis
  if (after < game.startsAt) return game.startsAt
  const change = nextChange(game, after)
  const possession = possessionMillis(game)
  const { period } = gameStateAt(game, after)
  if (change === undefined || possession === undefined || period === "HT") return change
  return Math.min(change, after + possession - ((after - game.startsAt) % possession))
}

/** Tracks announced games until their end and yields their updates. */
export class GameWatch {
  readonly #venue: Venue
  readonly #queue = new EventQueue<Game>()
  readonly #games = new Set<number>()
  #listed = 0
  #lastAt: Millis

  constructor(venue: Venue, now: Millis) {
    this.#venue = venue
    this.#lastAt = now
    this.#listUpTo(now)
  }

  /** All updates since the last call, up to and including `now`, in order of time. */
  *updatesUntil(now: Millis): Iterable<GameUpdate> {
    this.#listUpTo(now)
    while (this.#queue.next <= now) {
      const due = this.#queue.take()
      if (due === undefined) break
      const { at, item: game } = due
      yield { game, at }
      if (!this.#schedule(game, at)) this.#games.delete(game.id)
    }
    this.#lastAt = now
  }

  #listUpTo(now: Millis): void {
    for (;;) {
      const event = this.#venue.events[this.#listed]
      if (event === undefined || event.plan.createdAt > now) return
      this.#listed += 1
      this.#list(event)
    }
  }

  #list({ plan }: Event): void {
    const { game } = plan
    if (game === undefined || game.endsAt <= this.#lastAt || this.#games.has(game.id)) return
    this.#games.add(game.id)
    this.#schedule(game, Math.max(this.#lastAt, plan.createdAt))
  }

  #schedule(game: Game, after: Millis): boolean {
    const at = nextUpdateAt(game, after)
    if (at !== undefined) this.#queue.add(at, game)
    return at !== undefined
  }
}

/** The abbreviation of the side in possession; undefined in breaks and after the end. */
export const turnOf = (game: Game, period: string | undefined, at: Millis): string | undefined => {
  if (!footballLeagues.has(game.league) || at < game.startsAt || at >= game.endsAt || period === "HT") return undefined
  const drive = Math.floor((at - game.startsAt) / driveMillis)
  return ((hash(game.id, 1) + drive) % 2 === 0 ? game.home : game.away).abbreviation
}
