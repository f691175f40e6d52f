import { type Context, Metric } from "effect"
import type { EndReason } from "./endReason.ts"

const connections = Metric.gauge("presage_ws_connections", { description: "Open sockets" })
const subscribers = Metric.gauge("presage_ws_subscribers", {
  description: "Sockets with at least one subscription",
})
const firehoses = Metric.gauge("presage_ws_firehose_connections", { description: "Unfiltered subscriptions" })
const behind = Metric.gauge("presage_ws_behind", {
  description: "Sockets that read too slowly and are paused",
})
const buffered = Metric.gauge("presage_ws_buffered_bytes", { description: "Bytes buffered for sockets" })
const kept = Metric.gauge("presage_ws_kept_bytes", {
  description: "About the bytes that clients make the gateway keep: filters, followed books and waiting messages",
})
const bytes = Metric.counter("presage_ws_sent_bytes_total", {
  description: "Bytes sent to subscribers",
  incremental: true,
})
const ended = (reason: EndReason) =>
  Metric.counter("presage_ws_ended_total", {
    description: "Connections that ended, by reason",
    incremental: true,
    attributes: { reason },
  })

interface GatewayCounts {
  readonly connections: number
  readonly subscribers: number
  readonly firehoses: number
  readonly behind: number
  readonly buffered: number
  readonly kept: number
}

export const gatewayMetrics = (context: Context.Context<never>) => ({
  counts: (now: GatewayCounts) => {
    connections.updateUnsafe(now.connections, context)
    subscribers.updateUnsafe(now.subscribers, context)
    firehoses.updateUnsafe(now.firehoses, context)
    behind.updateUnsafe(now.behind, context)
    buffered.updateUnsafe(now.buffered, context)
    kept.updateUnsafe(now.kept, context)
  },
  sent: (count: number) => bytes.updateUnsafe(count, context),
  ended: (reason: EndReason) => ended(reason).updateUnsafe(1, context),
})

export type GatewayMetrics = ReturnType<typeof gatewayMetrics>
