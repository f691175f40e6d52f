import type { Subscribe } from "./client.ts"
import { dollarBounds, largeTrade } from "./dollarBounds.ts"
import type { StreamType } from "./streamTypes.ts"

/** Low-volume streams that count as filtered. */
const lowVolume: ReadonlySet<string> = new Set(["oracle", "blocks", "resolutions", "sports"])

const narrowing = [
  "wallets",
  "tokens",
  "slugs",
  "condition_ids",
  "combo_condition_ids",
  "leg_position_ids",
  "event_ids",
] as const

/** Whether a subscription has no narrowing filter, so that it receives the whole stream. */
export const isFirehose = (
  stream: StreamType,
  { filters = {}, markets }: Pick<Subscribe, "filters" | "markets">,
): boolean => {
  if (stream === "orderbook") return markets?.includes("*") ?? false
  if (lowVolume.has(stream) || narrowing.some((name) => filters[name] !== undefined)) return false
  return stream !== "large_trades" || (dollarBounds(stream, filters).min ?? 0) < largeTrade
}
