import { Effect } from "effect"
import { dayMillis, periodDays } from "#src/copy-pnl/model.ts"
import { BadInput } from "../errors.ts"
import { readPeriod } from "./input.ts"

/** Seconds until the year 9999. */
const latest = 253_402_300_799
const defaultDays = 30

/** Both in seconds, and both belong to it. */
export interface Window {
  readonly from: number
  readonly to: number
}

interface Given {
  readonly period?: string | undefined
  readonly from?: unknown
  readonly to?: unknown
}

const readSeconds = (name: string, given: unknown): Effect.Effect<number | undefined, BadInput> => {
  if (given === undefined) return Effect.undefined
  if (typeof given === "number" && Number.isSafeInteger(given) && given >= 0 && given <= latest)
    return Effect.succeed(given)
  const hint =
    typeof given === "number" && given > latest
      ? { hint: `Milliseconds have to be divided by 1000: ${Math.floor(given / 1000)}.` }
      : {}
  const shown = JSON.stringify(given)?.slice(0, 100)
  return Effect.fail(new BadInput({ error: `"${name}": expected Unix seconds, got ${shown}.`, param: name, ...hint }))
}

/** The window that somebody asks about, at this moment in milliseconds. */
export const readWindow = Effect.fnUntraced(function* (given: Given, now: number) {
  const from = yield* readSeconds("from", given.from)
  const to = yield* readSeconds("to", given.to)
  const hasEnds = from !== undefined || to !== undefined
  if (given.period !== undefined && hasEnds)
    return yield* new BadInput({ error: 'Give either "period" or "from" and "to".', param: "period" })
  const days = given.period === undefined ? defaultDays : periodDays[yield* readPeriod(given.period)]
  const end = to ?? Math.floor(now / 1000)
  // As with the scores of a pool, what happened exactly so long ago no longer counts.
  const begin = from ?? Math.max(0, end - (days * dayMillis) / 1000 + 1)
  if (begin > end)
    return yield* new BadInput({ error: `"from" (${begin}) must not be after "to" (${end}).`, param: "from" })
  return { from: begin, to: end } satisfies Window
})
