import { Clock, Effect } from "effect"
import type { Caller } from "#src/domain/Account.ts"
import { allowances } from "#src/domain/Plan.ts"
import { Keys } from "#src/keys/Keys.ts"
import * as buckets from "#src/limits/buckets.ts"
import { Limiter } from "#src/limits/Limiter.ts"
import { monthAt, Quota } from "#src/limits/Quota.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { socialUnits } from "#src/social/units.ts"
import { openConnections } from "#src/streams/access/openConnections.ts"
import { Deliveries } from "#src/webhooks/delivery/Deliveries.ts"
import { Webhooks } from "#src/webhooks/subscriptions/Webhooks.ts"
import type { LimitName, Limits } from "./shapes.ts"

const dayMillis = 86_400_000
/** More keys than any plan allows. */
const maxKeys = 1000

/** What an account may use, and what it uses now. */
export const makeLimits = Effect.gen(function* () {
  const config = yield* Configuration
  const redis = yield* Redis
  const limiter = yield* Limiter
  const quota = yield* Quota
  const keys = yield* Keys
  const webhooks = yield* Webhooks
  const deliveries = yield* Deliveries

  return Effect.fn("limits")(function* ({ account, plan, standardPerMinute, heavyPerMinute }: Caller) {
    const allowance = allowances[plan]
    const now = yield* Clock.currentTimeMillis
    const { month, resetAt: monthEnd } = monthAt(now)
    const dayEnd = (Math.floor(now / dayMillis) + 1) * (dayMillis / 1000)
    const windows = yield* limiter.peek(buckets.accountOwner(account), [
      buckets.standard(config, standardPerMinute),
      buckets.heavy(config, heavyPerMinute),
    ])
    const used = yield* Effect.all({
      deliveries: deliveries.usedToday(account),
      social: quota.used(account, socialUnits.name, month),
      events: openConnections(redis, account, "events"),
      books: openConnections(redis, account, "books"),
      keys: Effect.map(keys.listKeys(account, maxKeys), (all) => all.filter((key) => key.revokedAt === null).length),
      webhooks: Effect.map(webhooks.list(account), (all) => all.length),
    })
    const perMinute = (name: LimitName, i: number) => {
      const { limit = 0, remaining = 0, resetAt = null } = windows[i] ?? {}
      return { name, period: "minute" as const, used: Math.max(0, limit - remaining), limit, reset_at: resetAt }
    }
    const atOnce = (name: LimitName, inUse: number, limit: number | null) => ({
      name,
      period: "at_once" as const,
      used: inUse,
      limit,
      reset_at: null,
    })
    return {
      plan,
      limits: [
        perMinute("requests", 0),
        perMinute("heavy_requests", 1),
        {
          name: "webhook_deliveries",
          period: "day",
          used: used.deliveries,
          limit: allowance.deliveriesPerDay,
          reset_at: dayEnd,
        },
        {
          name: "social_requests",
          period: "month",
          used: used.social,
          limit: socialUnits.perMonth[plan],
          reset_at: monthEnd,
        },
        atOnce("event_connections", used.events, allowance.eventConnections),
        atOnce("book_connections", used.books, allowance.bookConnections),
        atOnce("keys", used.keys, allowance.keys),
        atOnce("webhooks", used.webhooks, allowance.webhooks),
      ],
      streams: {
        snapshot_count: allowance.snapshotCount,
        since_seconds: allowance.sinceSeconds,
        session_seconds_per_day: allowance.sessionSecondsPerDay,
      },
    } satisfies Limits
  })
})
