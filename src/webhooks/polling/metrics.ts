import { type Context, Metric } from "effect"
import type { Written } from "./Outbox.ts"

const entries = (poller: string) =>
  Metric.counter("presage_webhooks_entries_total", {
    description: "Event log entries processed by webhook pollers, by poller",
    incremental: true,
    attributes: { poller },
  })
const deliveries = (poller: string, status: string) =>
  Metric.counter("presage_webhooks_written_total", {
    description: "Webhook deliveries written, by poller and status",
    incremental: true,
    attributes: { poller, status },
  })
const lag = (poller: string) =>
  Metric.gauge("presage_webhooks_poller_lag", {
    description: "Event log entries behind the head after the poller's last tick",
    attributes: { poller },
  })

/** `poller` is the name of its cursor. */
export const pollerMetrics = (poller: string, context: Context.Context<never>) => {
  const [read, behind] = [entries(poller), lag(poller)]
  const [pending, held, overCap] = [
    deliveries(poller, "pending"),
    deliveries(poller, "held"),
    deliveries(poller, "over_cap"),
  ]
  return {
    read: (count: number) => read.updateUnsafe(count, context),
    wrote: (written: Written) => {
      pending.updateUnsafe(written.pending.length, context)
      held.updateUnsafe(written.held, context)
      overCap.updateUnsafe(written.overCap, context)
    },
    reached: (seq: bigint, head: bigint) => behind.updateUnsafe(head > seq ? Number(head - seq) : 0, context),
  }
}
