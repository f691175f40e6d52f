import { Effect } from "effect"
import type { Bench } from "./support/Bench.ts"
import { type LimitsLoad, type LimitsSubject, windowSize } from "./support/limits.ts"
import type { Line } from "./support/report.ts"
import { interleave } from "./support/rounds.ts"
import { startSubject } from "./support/Subject.ts"
import { median, medianRatio } from "./support/statistics.ts"
import { BenchStores, withStores } from "./support/stores.ts"

const rounds = 5
const millis = 500
const active = 1000
const rival = "sorted set"

const loads: Readonly<Record<string, LimitsLoad>> = {
  "refused, 1 account, 1 at a time": { owners: 1, concurrency: 1, limit: windowSize },
  "refused, 1 account, 64 at a time": { owners: 1, concurrency: 64, limit: windowSize },
  [`refused, ${active} accounts, 64 at a time`]: { owners: active, concurrency: 64, limit: windowSize },
  [`admitted, ${active} accounts, 1 at a time`]: { owners: active, concurrency: 1, limit: 1_000_000 },
  [`admitted, ${active} accounts, 64 at a time`]: { owners: active, concurrency: 64, limit: 1_000_000 },
}

/** Full sliding windows of 4000 requests: ours, the usual sorted set, and the limit set by a plain PING. */
export const limits: Bench = Effect.gen(function* () {
  const { environment } = yield* BenchStores
  const ours = yield* startSubject<LimitsSubject>("ours/limits.ts", environment)
  const zset = yield* startSubject<LimitsSubject & { readonly ping: LimitsSubject["check"] }>(
    "rivals/zsetLimiter.ts",
    environment,
  )
  const bytes = { ours: yield* ours.call("fill", active), zset: yield* zset.call("fill", active) }
  const lines: Array<Line> = []
  const all: Record<string, unknown> = { bytes }
  for (const [what, load] of Object.entries(loads)) {
    const results = yield* interleave(rounds, {
      ours: ours.call("check", load, millis),
      zset: zset.call("check", load, millis),
      ping: zset.call("ping", load, millis),
    })
    all[what] = results
    lines.push({
      what,
      unit: "checks/s",
      ours: median(results.ours),
      alternative: { name: rival, value: median(results.zset) },
      limit: { name: "PING", value: median(results.ping) },
      ratio: { to: rival, value: medianRatio(results.ours, results.zset) },
    })
  }
  lines.push({
    what: `Redis memory per account with ${windowSize} requests in its window`,
    unit: "bytes",
    ours: bytes.ours,
    alternative: { name: rival, value: bytes.zset },
    ratio: { to: rival, value: bytes.ours / bytes.zset },
  })
  return {
    lines,
    notes: ["equal requests of one event-loop turn share a call; both limiters are exact and use one script"],
    rounds: all,
  }
}).pipe(withStores)
