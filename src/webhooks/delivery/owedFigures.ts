import { Clock, Effect, Layer, Metric, Schedule } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"

const pending = Metric.gauge("presage_webhooks_pending", { description: "Deliveries that are owed" })
const oldest = Metric.gauge("presage_webhooks_oldest_due_seconds", {
  description: "For how long the delivery that has waited longest has been due; 0 where none is",
})
const disabled = Metric.gauge("presage_webhooks_disabled", {
  description: "Webhooks that are disabled because their endpoints failed for too long, or by an operator",
})

interface Figures {
  readonly pending: number
  readonly oldest: Date | null
  readonly disabled: number
}

/** Keeps what is owed to all webhooks as metrics. */
export const owedFigures = Layer.effectDiscard(
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const measure = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const [figures] = yield* sql<Figures>`
        select count(*)::int as pending, min(next_at) as oldest,
          (select count(*)::int from webhook where not active and disabled_at is not null) as disabled
        from webhook_delivery where status = 'pending'`
      if (figures === undefined) return
      yield* Metric.update(pending, figures.pending)
      yield* Metric.update(oldest, Math.max(0, now - (figures.oldest?.getTime() ?? now)) / 1000)
      yield* Metric.update(disabled, figures.disabled)
    })
    yield* Effect.forkScoped(Effect.repeat(Effect.ignore(measure), Schedule.spaced("10 seconds")))
  }),
)
