import { Effect } from "effect"
import { EventTail } from "#src/mesh/EventTail.ts"
import { keys } from "#src/mesh/Keys.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { SourceView } from "../model.ts"

/** Larger than one batch of the relay. */
const lateAbove = { lag: 2_000 }

/** The event log, and the lag of its tail in Redis. */
export const eventLogView = Effect.gen(function* () {
  const { reads } = yield* Postgres
  const redis = yield* Redis
  const tail = yield* EventTail
  const { events } = keys(redis.prefix)

  const newest = reads<{ seq: bigint; recorded_at: Date }>`
    select seq, recorded_at from event_log order by seq desc limit 1`
  const held = reads<{ rows: bigint | null }>`
    select sum(pg_stat_get_live_tuples(inhrelid))::bigint as rows from pg_inherits
    where inhparent = 'event_log'::regclass`
  const length = redis.run((client) => client.xlen(events))

  return Effect.map(
    Effect.all([newest, held, length, tail.last], { concurrency: "unbounded" }),
    ([[row], [stored], inRedis, last]): SourceView => ({
      source: "event_log",
      newestAt: row?.recorded_at.getTime() ?? null,
      isOfStores: true,
      lag: Math.max(0, Number((row?.seq ?? 0n) - last)),
      lateAbove,
      details: { seq: Number(row?.seq ?? 0n), rows: Number(stored?.rows ?? 0n), in_redis: inRedis },
    }),
  )
})
