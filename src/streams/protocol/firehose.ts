import type { Filters, Subscribe } from "./client.ts"
import type { StreamType } from "./types.ts"

/** Few enough of these come that they are for everybody. */
const quiet: ReadonlySet<string> = new Set(["oracle", "blocks", "resolutions"])

/** What `large_trades` is about when nothing is said, in dollars. */
export const largeTrade = 1000

const narrowing = [
  "wallets",
  "tokens",
  "slugs",
  "condition_ids",
  "combo_condition_ids",
  "leg_position_ids",
  "event_ids",
] as const

/** Whether a subscription names nobody and nothing, so that everything of its kind is sent. */
export const isFirehose = (
  stream: StreamType,
  { filters = {}, markets }: Pick<Subscribe, "filters" | "markets">,
): boolean => {
  if (stream === "orderbook") return markets?.includes("*") ?? false
  if (quiet.has(stream) || narrowing.some((name) => filters[name] !== undefined)) return false
  return stream !== "large_trades" || leastSize(filters) < largeTrade
}

const leastSize = ({ min_size }: Filters) => min_size ?? largeTrade
