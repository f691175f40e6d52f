import { eastern, isoDate } from "../world/catalogue/eastern.ts"
import type { Millis } from "../world/model.ts"

/** 2026-04-05T19:37:33Z */
export const iso = (at: Millis): string => {
  const text = new Date(at).toISOString()
  return at % 1000 === 0 ? `${text.slice(0, 19)}Z` : text
}

/** 2026-04-05 19:37:33+00, as the venue's database prints it. */
export const spaced = (at: Millis): string => `${new Date(at).toISOString().slice(0, 19).replace("T", " ")}+00`

/** 2026-04-05 */
export const dateOf = (at: Millis): string => new Date(at).toISOString().slice(0, 10)

/** The date in New York, by which games are known. */
export const easternDateOf = (at: Millis): string => isoDate(eastern(at))
