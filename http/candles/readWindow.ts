import { Effect } from "effect"
import { type CandleResolution, type CandleWindow, resolutions } from "#src/candles/model.ts"
import { candlesIn, windowAt, windowBetween } from "#src/candles/window.ts"
import { BadInput } from "../server/errors.ts"

export interface CandleParameters {
  readonly resolution?: CandleResolution
  readonly direction?: "before" | "after"
  readonly anchor_ts?: number
  readonly gap_fill?: "true" | "false"
  readonly limit?: number
  readonly start?: number
  readonly end?: number
  readonly order?: "asc" | "desc"
}

const refused = (param: string, problem: string, hint: string) =>
  Effect.fail(new BadInput({ error: `Parameter "${param}": ${problem}.`, param, hint }))

/** How many candles an answer has. */
export interface CandleLimit {
  readonly default: number
  readonly max: number
}

/** The candles that are asked for: by an anchor and a limit, or from `start` to `end`. */
export const readWindow = Effect.fnUntraced(function* (given: CandleParameters, most: CandleLimit, nowMillis: number) {
  const { resolution = "1h", direction = "before", limit = most.default, order = "asc", start, end } = given
  const seconds = resolutions[resolution]
  const now = Math.floor(nowMillis / 1000) + 1
  const asked = { limit, maxLimit: most.max, direction, order, withGaps: given.gap_fill === "true" }
  if (start === undefined && end === undefined) {
    const window: CandleWindow = windowAt(given.anchor_ts ?? now, direction, limit, seconds)
    return { resolution, window, asked }
  }
  if (given.anchor_ts !== undefined)
    return yield* refused("anchor_ts", "cannot be combined with `start` and `end`", "Use one or the other.")
  if (start === undefined)
    return yield* refused("end", "needs `start` as well", "Use `anchor_ts` for the candles before a time.")
  const window = windowBetween(start, end ?? now, seconds)
  const count = candlesIn(window)
  if (count === 0) return yield* refused("end", `expected a time after \`start\` (${start})`, "Exchange the two.")
  if (count > most.max) {
    const hint = `At most ${most.max} candles are returned: use a shorter range or a coarser resolution.`
    return yield* refused("start", `${count} candles of ${resolution} lie between \`start\` and \`end\``, hint)
  }
  return { resolution, window, asked: { ...asked, limit: count } }
})
