import { catalogueLag } from "#src/catalogue/gameState.ts"
import type { FoundGame } from "./Listings.ts"
import { type Sourced, type SportsEvent, statusOf } from "./model.ts"

export const freshnesses = ["live", "recent", "stale", "unknown"] as const
export type Freshness = (typeof freshnesses)[number]

/** A score that was confirmed within these times. Sources repeat themselves at least once a minute while a game is on. */
const liveMillis = 60_000
const recentMillis = 600_000

export interface ShownScore {
  readonly source: "sports_socket" | "catalogue" | "gamma" | "gamma_alternate"
  readonly score: string | null
  readonly period: string | null
  readonly elapsed: string | null
  readonly live: boolean | null
  readonly ended: boolean | null
  /** The venue's own word. */
  readonly venue_status: string | null
  readonly freshness: Freshness
  /** When a source last confirmed it, Unix milliseconds. */
  readonly confirmed_at: number | null
  readonly age_ms: number | null
}

/**
 * Who last confirmed the score, and when. A full read of the catalogue confirms the scores of all open games, but it lags
 * behind the live source.
 */
const confirmationOf = (
  { game, closed }: SportsEvent,
  { source, at }: Pick<Sourced<unknown>, "source" | "at">,
): { readonly source: ShownScore["source"]; readonly at: number | null } => {
  const heardAt = game?.heardAt ?? null
  if (source !== "catalogue") return heardAt === null ? { source, at } : { source: "sports_socket", at: heardAt }
  const read = closed || at === 0 ? null : at
  if (heardAt !== null && (read === null || read < heardAt + catalogueLag))
    return { source: "sports_socket", at: heardAt }
  return { source: "catalogue", at: read }
}

/** A final score does not get old. */
const freshnessOf = (isFinal: boolean, age: number | null): Freshness => {
  if (age !== null && age <= liveMillis) return "live"
  if (isFinal || (age !== null && age <= recentMillis)) return "recent"
  return age === null ? "unknown" : "stale"
}

export const scoreOf = (
  event: SportsEvent,
  sourced: Pick<Sourced<unknown>, "source" | "at">,
  now: number,
): ShownScore => {
  const state = event.game?.state
  const confirmed = confirmationOf(event, sourced)
  const age = confirmed.at === null ? null : Math.max(0, now - confirmed.at)
  const isUnknown = (state?.score ?? null) === null && (state?.period ?? null) === null
  return {
    source: confirmed.source,
    score: state?.score ?? null,
    period: state?.period ?? null,
    elapsed: state?.elapsed ?? null,
    live: state?.live ?? null,
    ended: state?.ended ?? null,
    venue_status: state?.status ?? null,
    freshness: isUnknown ? "unknown" : freshnessOf(statusOf(event) === "ended", age),
    confirmed_at: confirmed.at,
    age_ms: age,
  }
}

/** The markets of an event and of the other events of its game. */
export const marketsOf = ({ event, related }: Pick<FoundGame, "event" | "related">) =>
  [event, ...related].flatMap(({ markets }) => markets)
