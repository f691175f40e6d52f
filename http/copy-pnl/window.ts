import { Effect } from "effect"
import { dayMillis, periodDays } from "#src/copy-pnl/model.ts"
import { BadInput } from "../errors.ts"
import { readUnixRange } from "../unixRange.ts"
import { readPeriod } from "./input.ts"

const defaultDays = 30

interface Given {
  readonly period?: string | undefined
  readonly from?: unknown
  readonly to?: unknown
}

/** The window that somebody asks about, at this moment in milliseconds. */
export const readWindow = Effect.fnUntraced(function* (given: Given, nowMillis: number, where: "param" | "field") {
  if (given.period !== undefined && (given.from !== undefined || given.to !== undefined))
    return yield* new BadInput({ error: 'Give either "period" or "from" and "to".', param: "period" })
  const days = given.period === undefined ? defaultDays : periodDays[yield* readPeriod(given.period)]
  // As with the scores of a pool, what happened exactly so long ago no longer counts.
  const begin = (to: number) => Math.max(0, to - (days * dayMillis) / 1000 + 1)
  return yield* readUnixRange(given, { where, nowMillis, begin })
})
