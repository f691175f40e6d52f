import type { Game, Millis, ScoreChange } from "../world/model.ts"
import { iso } from "./format.ts"

/** The latest score change of a game. */
const latestOf = ({ scores }: Game, now: Millis): ScoreChange | undefined => {
  let low = 0
  let high = scores.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((scores[middle] as ScoreChange).at <= now) low = middle + 1
    else high = middle
  }
  return scores[low - 1]
}

/** A game that is not played, or not to its end. */
export type CalledOff = "postponed" | "cancelled"

const calledOff = new WeakMap<Game, { readonly as: CalledOff; readonly at: Millis }>()

/** From now on the game is shown as called off. Its markets keep their fate. */
export const callOff = (game: Game, as: CalledOff, at: Millis): void => {
  calledOff.set(game, { as, at })
}

const periods = { postponed: "POST", cancelled: "CAN" } as const

/** The state of a game that was called off; undefined for others. */
const calledOffState = (game: Game, now: Millis) => {
  const off = calledOff.get(game)
  if (off === undefined || now < off.at) return undefined
  const latest = off.at < game.startsAt ? undefined : latestOf(game, off.at)
  return {
    live: false,
    ended: off.as === "cancelled",
    gameStatus: off.as,
    score: latest && `${latest.home}-${latest.away}`,
    period: periods[off.as] as string,
    elapsed: latest?.elapsed,
    finishedTimestamp: off.as === "cancelled" ? iso(off.at) : undefined,
  }
}

export const isLive = ({ startsAt, endsAt }: Game, now: Millis): boolean => startsAt <= now && now < endsAt
export const isEnded = ({ endsAt }: Game, now: Millis): boolean => endsAt <= now

/** The state of a game. In the score the home side comes first. */
export const gameStateAt = (game: Game, now: Millis) => {
  const off = calledOffState(game, now)
  if (off !== undefined) return off
  const latest = now < game.startsAt ? undefined : latestOf(game, now)
  const live = isLive(game, now)
  const ended = isEnded(game, now)
  return {
    live,
    ended,
    gameStatus: live ? "InProgress" : ended ? "finished" : "scheduled",
    score: latest && `${latest.home}-${latest.away}`,
    period: latest?.period,
    elapsed: latest?.elapsed,
    finishedTimestamp: ended ? iso(game.endsAt) : undefined,
  }
}
