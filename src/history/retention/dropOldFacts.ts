import { Clock, Duration, Effect, Option, Stream } from "effect"
import { markStale } from "#src/leaderboards/exclusive.ts"
import * as CoverageStore from "#src/ledger/coverage/CoverageStore.ts"
import * as BaseStore from "#src/ledger/positions/BaseStore.ts"
import { recompute } from "#src/ledger/positions/recompute.ts"
import { retention } from "#src/ledger/settings.ts"
import type { Lease } from "#src/mesh/Lease.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import * as RetentionStore from "./RetentionStore.ts"

/** Parses what the setting accepts; none if everything is kept. */
const parseRetention = (text: string): Option.Option<Duration.Duration> =>
  text === "all" ? Option.none() : Option.some(Duration.days(Number.parseInt(text, 10)))

/** Start of the month of a time: fills are stored by month and dropped by month. */
const monthOf = (at: number) => {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

/**
 * Drops facts of the months before the retention. Positions count them already; what they were at that block is kept, so
 * that they can be recomputed from the rest. Returns the first block that is left, if anything was dropped.
 */
export const dropOldFacts = Effect.fn("History.dropOldFacts")(function* (lease: Lease) {
  const kept = parseRetention((yield* Configuration).get(retention))
  if (Option.isNone(kept)) return Option.none()
  const { sql, exports } = yield* Postgres
  const monthStart = monthOf((yield* Clock.currentTimeMillis) - Duration.toMillis(kept.value))
  const cut = yield* RetentionStore.firstBlockSince(exports, monthStart)
  const coverage = yield* CoverageStore.read(exports)
  if (cut === undefined || coverage === undefined) return Option.none()
  const { facts, positions } = coverage
  const areCounted = positions.block <= facts.block || coverage.droppedBefore !== undefined
  if (cut.number <= facts.block || !areCounted) return Option.none()

  // These blocks are finalized, so nobody changes their facts meanwhile.
  const range = { first: positions.block, last: cut.number - 1, undoableFrom: cut.number }
  const { holdings, steps } = yield* recompute(exports, range)
  yield* Stream.runDrain(steps)
  const isDropped = yield* lease.tx(
    Effect.gen(function* () {
      // Boards keep the prices of trades that are dropped.
      yield* markStale(sql)
      if (!(yield* CoverageStore.moveFacts(sql, facts.block, cut))) return false
      yield* BaseStore.replace(sql, holdings.all())
      yield* RetentionStore.dropFactsBefore(sql, cut, monthStart)
      return true
    }),
  )
  return isDropped ? Option.some(cut) : Option.none()
})
