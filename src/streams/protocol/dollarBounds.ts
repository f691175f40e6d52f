import type { Filters } from "./client.ts"
import type { StreamType } from "./streamTypes.ts"

/** Least value of a trade in `large_trades`, unless a filter sets another. */
export const largeTrade = 1000

/** The bounds of an event's value in dollars. The contract calls them sizes, like the shares in events. */
export const dollarBounds = (stream: StreamType, { min_usd, max_usd, min_size, max_size }: Filters) => ({
  min: min_usd ?? min_size ?? (stream === "large_trades" ? largeTrade : undefined),
  max: max_usd ?? max_size,
})
