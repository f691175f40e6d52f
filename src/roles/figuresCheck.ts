import { Effect } from "effect"
import { isAwaited } from "#src/market-stats/FigureStore.ts"
import { firstLoadCheck } from "./firstLoadCheck.ts"

/** Not ready until the lists of markets and events have figures, which jobs of the scheduler count. */
export const figuresCheck = firstLoadCheck("market_stats", (reads) =>
  Effect.map(isAwaited(reads), (awaited) => (awaited ? "counting what is traded of markets and events" : undefined)),
)
