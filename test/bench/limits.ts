import { Effect } from "effect"
import type { Bench } from "./support/Bench.ts"
import { type LimitsLoad, type LimitsSubject, places } from "./support/limits.ts"
import type { Line } from "./support/report.ts"
import { inTurns } from "./support/rounds.ts"
import { startSubject } from "./support/Subject.ts"
import { median, medianRatio } from "./support/statistics.ts"
import { BenchStores, withStores } from "./support/stores.ts"

const rounds = 5
const millis = 500
const active = 1000
const rival = "sorted set"

const loads: Readonly<Record<string, LimitsLoad>> = {
  "refused, one account, one at a time": { owners: 1, together: 1, limit: places },
  "refused, one account, 64 at a time": { owners: 1, together: 64, limit: places },
  [`refused, ${active} accounts, 64 at a time`]: { owners: active, together: 64, limit: places },
  [`admitted, ${active} accounts, one at a time`]: { owners: active, together: 1, limit: 1_000_000 },
  [`admitted, ${active} accounts, 64 at a time`]: { owners: active, together: 64, limit: 1_000_000 },
}

/** Sliding windows of 4000 places, all full: ours, the sorted set that others take for it, and what a mere PING allows. */
export const limits: Bench = Effect.gen(function* () {
  const { environment } = yield* BenchStores
  const ours = yield* startSubject<LimitsSubject>("ours/limits.ts", environment)
  const zset = yield* startSubject<LimitsSubject & { readonly ping: LimitsSubject["check"] }>(
    "rivals/zsetLimiter.ts",
    environment,
  )
  const bytes = { ours: yield* ours.ask("fill", active), zset: yield* zset.ask("fill", active) }
  const lines: Array<Line> = []
  const all: Record<string, unknown> = { bytes }
  for (const [what, load] of Object.entries(loads)) {
    const results = yield* inTurns(rounds, {
      ours: ours.ask("check", load, millis),
      zset: zset.ask("check", load, millis),
      ping: zset.ask("ping", load, millis),
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
    what: `Redis memory of an account with ${places} requests in its window`,
    unit: "bytes",
    ours: bytes.ours,
    alternative: { name: rival, value: bytes.zset },
    ratio: { to: rival, value: bytes.ours / bytes.zset },
  })
  return {
    lines,
    notes: ["equal requests of one turn of the event loop share a call; both limiters are exact, in one script"],
    rounds: all,
  }
}).pipe(withStores)
