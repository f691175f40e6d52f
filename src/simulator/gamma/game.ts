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

export const isLive = ({ startsAt, endsAt }: Game, now: Millis): boolean => startsAt <= now && now < endsAt
export const isEnded = ({ endsAt }: Game, now: Millis): boolean => endsAt <= now

/** The state of a game. In the score the home side comes first. */
export const gameStateAt = (game: Game, now: Millis) => {
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
