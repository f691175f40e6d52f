import { type Context, Metric } from "effect"

const refused = (bucket: string) =>
  Metric.counter("presage_limits_refused_total", {
    description: "Requests refused because a bucket was full",
    incremental: true,
    attributes: { bucket },
  })
const local = Metric.counter("presage_limits_local_total", {
  description: "Requests that this process decided on its own because Redis was away",
  incremental: true,
})
const away = Metric.gauge("presage_limits_redis_away", {
  description: "1 while this process cannot ask Redis about limits",
})

/** Counted without an Effect of their own, as they are on the path of every request. */
export const limitMetrics = (context: Context.Context<never>) => ({
  refused: (bucket: string, count: number) => refused(bucket).updateUnsafe(count, context),
  local: (count: number) => local.updateUnsafe(count, context),
  away: (isAway: boolean) => away.updateUnsafe(isAway ? 1 : 0, context),
})
