import type { Filter } from "#src/feed/Filter.ts"
import type { EventType } from "#src/feed/model.ts"
import type { Subscription } from "./Follower.ts"

/** Where an event comes from, where that is not the chain; by the names of the status. */
const origins: Readonly<Partial<Record<EventType, string>>> = {
  settlement: "mempool",
  combo_execution: "mempool",
  price_change: "books",
  score: "sports",
  market_created: "catalogue",
  market_resolved: "catalogue",
}

const sourcesIn = ({ types, status }: Filter): ReadonlyArray<string> => {
  const told = [...types].filter((type) => type !== "reorg").map((type) => origins[type] ?? "chain")
  return types.has("fill") && status !== "confirmed" ? [...told, "mempool"] : told
}

/** What subscriptions depend on: the log, and whoever writes to it what they ask for. */
export const sourcesOf = (subscriptions: ReadonlyArray<Subscription>): ReadonlyArray<string> =>
  subscriptions.length === 0
    ? []
    : [...new Set([...subscriptions.flatMap(({ wish }) => sourcesIn(wish.filter)), "event_log"])]
