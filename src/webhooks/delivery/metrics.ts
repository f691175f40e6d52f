import { type Context, Metric } from "effect"
import type { Answer } from "./Sender.ts"

const attempts = (outcome: string) =>
  Metric.counter("presage_webhooks_attempts_total", {
    description: "Attempts of deliveries by how they ended",
    incremental: true,
    attributes: { outcome },
  })
const seconds = (host: string) =>
  Metric.histogram("presage_webhooks_attempt_seconds", {
    description: "Time until an endpoint answered or was given up, by host",
    boundaries: Metric.exponentialBoundaries({ start: 0.002, factor: 2, count: 13 }),
    attributes: { host },
  })
const inFlight = (lane: string) =>
  Metric.gauge("presage_webhooks_in_flight", {
    description: "Attempts that this process is making right now",
    attributes: { lane },
  })
const postponed = (reason: string) =>
  Metric.counter("presage_webhooks_postponed_total", {
    description: "Attempts put back because they were early, their host had no place, or it is slow",
    incremental: true,
    attributes: { reason },
  })
const disabled = Metric.counter("presage_webhooks_disabled_total", {
  description: "Webhooks disabled because their endpoint failed for too long or is gone",
  incremental: true,
})

/** Endpoints are named by strangers: those who come first have a histogram of their own, the others share one. */
const mostHosts = 100
const others = "other"

/** Bound once: the hot path only adds numbers. */
export const deliveryMetrics = (context: Context.Context<never>) => {
  const outcomes = new Map<string, Metric.Counter<number>>()
  const hosts = new Map<string, Metric.Histogram<number>>()
  const lanes = new Map<string, { readonly gauge: Metric.Gauge<number>; count: number }>()

  const known = <K, V>(map: Map<K, V>, key: K, make: () => V): V => {
    const found = map.get(key) ?? make()
    map.set(key, found)
    return found
  }
  const histogramOf = (host: string) => {
    const name = hosts.has(host) || hosts.size < mostHosts ? host : others
    return known(hosts, name, () => seconds(name))
  }
  const move = (lane: string, by: number) => {
    const state = known(lanes, lane, () => ({ gauge: inFlight(lane), count: 0 }))
    state.count += by
    state.gauge.updateUnsafe(state.count, context)
  }
  return {
    began: (lane: string) => move(lane, 1),
    ended: (lane: string) => move(lane, -1),
    answered: (origin: string, { errorClass, latencyMs }: Answer) => {
      const outcome = errorClass ?? "success"
      known(outcomes, outcome, () => attempts(outcome)).updateUnsafe(1, context)
      histogramOf(origin).updateUnsafe(latencyMs / 1000, context)
    },
    postponed: (reason: "early" | "full" | "slow") => postponed(reason).updateUnsafe(1, context),
    disabled: () => disabled.updateUnsafe(1, context),
  }
}
