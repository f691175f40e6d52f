import { Clock, Effect } from "effect"
import { staleMillis } from "#src/books/BookCache.ts"
import { booksShards } from "#src/books/settings.ts"
import { keys } from "#src/mesh/Keys.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import type { CombinedReport } from "../combineReports.ts"
import type { SourceView } from "../model.ts"

/** The hash of a shard has the fields `at` and `epoch` besides the quotes. */
const extraFields = 2

/** The order books in Redis. */
export const booksView = Effect.gen(function* () {
  const redis = yield* Redis
  const shards = (yield* Configuration).get(booksShards)
  const { booksOf } = keys(redis.prefix)

  const shard = (number: number, now: number) =>
    redis.run(async (client) => {
      const { quotes, wanted } = booksOf(number)
      const [at, fields, want] = await Promise.all([
        client.hget(quotes, "at"),
        client.hlen(quotes),
        client.zcount(wanted, now, "+inf"),
      ])
      return { at: at === null ? null : Number(at), shown: Math.max(0, fields - extraFields), wanted: want }
    })

  return (report: CombinedReport) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const all = yield* Effect.forEach(Array.from({ length: shards }).keys(), (number) => shard(number, now), {
        concurrency: "unbounded",
      })
      const total = (of: (one: (typeof all)[number]) => number) => all.reduce((sum, one) => sum + of(one), 0)
      const isStale = ({ at }: (typeof all)[number]) => at === null || now - at > staleMillis
      const [held, wanted] = [total((one) => (isStale(one) ? 0 : one.shown)), total((one) => one.wanted)]
      const moments = all.flatMap(({ at }) => at ?? [])
      const view: SourceView = {
        source: "books",
        newestAt: moments.length === 0 ? null : Math.min(...moments),
        lag: Math.max(0, wanted - held),
        lateAbove: { ageSeconds: staleMillis / 1000 },
        details: {
          wanted,
          held,
          stale: total((one) => (isStale(one) ? one.shown : 0)),
          resyncs: report.counts["resyncs"] ?? 0,
        },
      }
      return view
    })
})
