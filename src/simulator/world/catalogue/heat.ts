import type { EventPlan, MarketPlan, Millis } from "../model.ts"
import { hour, minute } from "./eastern.ts"

/**
 * How much of its weight a market has at a moment, 0 to 1: up/down markets live in their window, games while
 * they are played, everything else a little more right after its creation and in its last day.
 */
export const heatAt = (event: EventPlan, market: MarketPlan, at: Millis): number => {
  if (at < event.createdAt || at >= market.endsAt) return 0
  const untilStart = event.startsAt - at
  if (market.rule.kind === "updown") {
    if (untilStart <= 0) return 1
    return untilStart < 5 * minute ? 0.1 : 0.001
  }
  if (event.game !== undefined) {
    if (untilStart <= 0) return 1
    if (untilStart < hour) return 0.6
    return untilStart < 12 * hour ? 0.2 : 0.03
  }
  const isFresh = at - event.createdAt < 6 * hour
  const isEnding = market.endsAt - at < 24 * hour
  return isFresh || isEnding ? 1 : 0.5
}

/** The next moment after `at` when a market gets busier or calmer. */
export const nextHeatChange = (event: EventPlan, market: MarketPlan, at: Millis): Millis | undefined =>
  heatChanges(event, market).find((moment) => moment > at && moment < market.endsAt)

const heatChanges = (event: EventPlan, market: MarketPlan): ReadonlyArray<Millis> => {
  const { startsAt, createdAt } = event
  if (market.rule.kind === "updown") return [startsAt - 5 * minute, startsAt]
  if (event.game !== undefined) return [startsAt - 12 * hour, startsAt - hour, startsAt]
  return [createdAt + 6 * hour, market.endsAt - 24 * hour].sort((a, b) => a - b)
}
