import { gameStateAt } from "../gamma/game.ts"
import { Agenda } from "../world/Agenda.ts"
import type { Game, Millis, ScoreChange } from "../world/model.ts"
import type { Event, Venue } from "../world/Venue.ts"
import { possessionMillis } from "./possession.ts"

/** Something to tell about a game, at the moment it became so. */
export interface GameMoment {
  readonly slug: string
  readonly game: Game
  readonly at: Millis
}

interface Watched {
  readonly slug: string
  readonly game: Game
}

/** A game is told of as scheduled this long before it begins. */
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

/** When there is next something to tell. The course of a game is only asked for once it has begun. */
const nextMoment = (game: Game, after: Millis): Millis | undefined => {
  if (after < game.startsAt - noticeMillis) return game.startsAt - noticeMillis
  if (after < game.startsAt) return game.startsAt
  const change = nextChange(game, after)
  const possession = possessionMillis(game)
  const { period } = gameStateAt(game, after)
  if (change === undefined || possession === undefined || period === "HT") return change
  return Math.min(change, after + possession - ((after - game.startsAt) % possession))
}

/** Follows the games that are announced and not over, and finds what happened in them from one look to the next. */
export class GameWatch {
  readonly #venue: Venue
  readonly #agenda = new Agenda<Watched>()
  readonly #games = new Set<number>()
  #listed = 0
  #shown: Millis

  constructor(venue: Venue, now: Millis) {
    this.#venue = venue
    this.#shown = now
    this.#listUpTo(now)
  }

  /** Everything after the last look, up to and including a moment, in order of time. */
  *upTo(now: Millis): Iterable<GameMoment> {
    this.#listUpTo(now)
    while (this.#agenda.next <= now) {
      const due = this.#agenda.take()
      if (due === undefined) break
      const { at, what } = due
      yield { ...what, at }
      if (!this.#await(what, at)) this.#games.delete(what.game.id)
    }
    this.#shown = now
  }

  #listUpTo(now: Millis): void {
    for (;;) {
      const event = this.#venue.events[this.#listed]
      if (event === undefined || event.plan.createdAt > now) return
      this.#listed += 1
      this.#list(event)
    }
  }

  /** A game may have several events; it is known by the name of the first. */
  #list({ plan }: Event): void {
    const { game, slug } = plan
    if (game === undefined || game.endsAt <= this.#shown || this.#games.has(game.id)) return
    this.#games.add(game.id)
    this.#await({ slug, game }, Math.max(this.#shown, plan.createdAt))
  }

  #await(watched: Watched, after: Millis): boolean {
    const at = nextMoment(watched.game, after)
    if (at !== undefined) this.#agenda.add(at, watched)
    return at !== undefined
  }
}
