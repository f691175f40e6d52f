import { type Context, Metric } from "effect"
import type { LeaseKind } from "./caps.ts"

const refused = (reason: string) =>
  Metric.counter("presage_ws_refused_upgrades_total", {
    description: "Refused WebSocket upgrades by reason",
    incremental: true,
    attributes: { reason },
  })
const leases = (kind: LeaseKind) =>
  Metric.gauge("presage_ws_leases", {
    description: "Connections and unfiltered subscriptions of this gateway that count against plan limits",
    attributes: { kind },
  })

/** Updated without an Effect, because thousands of upgrades may arrive at once. */
export const accessMetrics = (context: Context.Context<never>) => ({
  refused: (reason: string) => refused(reason).updateUnsafe(1, context),
  leases: (kind: LeaseKind, count: number) => leases(kind).updateUnsafe(count, context),
})
