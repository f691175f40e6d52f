import { Clock, type Context, Effect, Layer, Metric, Schedule } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { SendResult } from "./Sender.ts"

const attempts = (outcome: string) =>
  Metric.counter("presage_webhooks_attempts_total", {
    description: "Delivery attempts by result",
    incremental: true,
    attributes: { outcome },
  })
const seconds = (host: string) =>
  Metric.histogram("presage_webhooks_attempt_seconds", {
    description: "Time until an endpoint answered or the attempt was abandoned, by host",
    boundaries: Metric.exponentialBoundaries({ start: 0.002, factor: 2, count: 13 }),
    attributes: { host },
  })
const inFlight = (lane: string) =>
  Metric.gauge("presage_webhooks_in_flight", {
    description: "Attempts in flight in this process",
    attributes: { lane },
  })
const postponed = (reason: string) =>
  Metric.counter("presage_webhooks_postponed_total", {
    description: "Attempts postponed because they were early, or their host was full or slow",
    incremental: true,
    attributes: { reason },
  })
const disabled = Metric.counter("presage_webhooks_disabled_total", {
  description: "Webhooks disabled because their endpoint failed too long or is gone",
  incremental: true,
})

/** Users choose endpoints: the first ones have their own histogram, the others share one. */
const maxHosts = 100
const others = "other"

/** Created once: the hot path only updates numbers. */
export const deliveryMetrics = (context: Context.Context<never>) => {
  const outcomes = new Map<string, Metric.Counter<number>>()
  const hosts = new Map<string, Metric.Histogram<number>>()
  const lanes = new Map<string, { readonly gauge: Metric.Gauge<number>; count: number }>()

  const getOrMake = <K, V>(map: Map<K, V>, key: K, make: () => V): V => {
    const found = map.get(key) ?? make()
    map.set(key, found)
    return found
  }
  const histogramOf = (host: string) => {
    const name = hosts.has(host) || hosts.size < maxHosts ? host : others
    return getOrMake(hosts, name, () => seconds(name))
  }
  const move = (lane: string, by: number) => {
    const state = getOrMake(lanes, lane, () => ({ gauge: inFlight(lane), count: 0 }))
    state.count += by
    state.gauge.updateUnsafe(state.count, context)
  }
  return {
    began: (lane: string) => move(lane, 1),
    ended: (lane: string) => move(lane, -1),
    answered: (origin: string, { errorClass, latencyMs }: SendResult) => {
      const outcome = errorClass ?? "success"
      getOrMake(outcomes, outcome, () => attempts(outcome)).updateUnsafe(1, context)
      histogramOf(origin).updateUnsafe(latencyMs / 1000, context)
    },
    postponed: (reason: "early" | "full" | "slow") => postponed(reason).updateUnsafe(1, context),
    disabled: () => disabled.updateUnsafe(1, context),
  }
}

const pendingDeliveries = Metric.gauge("presage_webhooks_pending", { description: "Pending deliveries" })
const oldestDue = Metric.gauge("presage_webhooks_oldest_due_seconds", {
  description: "How long the oldest pending delivery has been due; 0 if none is",
})
const disabledWebhooks = Metric.gauge("presage_webhooks_disabled", {
  description: "Webhooks disabled because their endpoints failed too long, or by an operator",
})

interface Backlog {
  readonly pending: number
  readonly oldest: Date | null
  readonly disabled: number
}

/** Exports the backlog of all webhooks as metrics. */
export const backlogMetrics = Layer.effectDiscard(
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const measure = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const [backlog] = yield* sql<Backlog>`
        select count(*)::int as pending, min(next_at) as oldest,
          (select count(*)::int from webhook where not active and disabled_at is not null) as disabled
        from webhook_delivery where status = 'pending'`
      if (backlog === undefined) return
      yield* Metric.update(pendingDeliveries, backlog.pending)
      yield* Metric.update(oldestDue, Math.max(0, now - (backlog.oldest?.getTime() ?? now)) / 1000)
      yield* Metric.update(disabledWebhooks, backlog.disabled)
    })
    yield* Effect.forkScoped(Effect.repeat(Effect.ignore(measure), Schedule.spaced("10 seconds")))
  }),
)
