import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import * as CoverageStore from "#src/ledger/coverage/CoverageStore.ts"
import { pause } from "#src/platform/embedded/waiting.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { verifyLedger } from "#src/repair/verify.ts"
import { Dice } from "#src/simulator/random.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { frailService, reachesHead } from "#test/ledger/support/frailService.ts"
import { assertEqualsTruth } from "#test/ledger/support/truth.ts"
import { patience } from "#test/support/patience.ts"
import { figures, seed } from "#test/support/processes/scale.ts"
import { runningVenue } from "#test/support/venue.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"
const kills = isSoak ? 20 : 2
const recoveryWithin = 60_000

const fillsBetween = ({ model }: Simulation, first: number, last: number) => {
  const { facts } = model.world
  let fills = 0
  for (let tx = facts.block.lowerBound(first - firstBlock); tx < facts.length; tx++) {
    if (facts.block.get(tx) + firstBlock > last) break
    fills += facts.fillCount.get(tx)
  }
  return fills
}

/** The ledger has all fills of the blocks that it claims to cover, and none before. */
const assertCoverageIsTrue = Effect.fnUntraced(function* (simulation: Simulation) {
  const { sql, tx } = yield* Postgres
  const [found, row] = yield* tx(
    Effect.gen(function* () {
      yield* sql`set transaction isolation level repeatable read`
      const coverage = yield* CoverageStore.read(sql)
      const from = coverage?.facts.block ?? 0
      const [counted] = yield* sql<{ block: number; within: number; before: number }>`
        select (select block from chain_cursor) as block, (count(*) filter (where block >= ${from}))::int as within,
          (count(*) filter (where block < ${from}))::int as before from fill`
      return [coverage, counted] as const
    }),
  )
  if (found === undefined || row === undefined) return assert.fail("the ledger is empty")
  assert.strictEqual(row.before, 0)
  assert.strictEqual(row.within, fillsBetween(simulation, found.facts.block, row.block))
  return found
})

describe("History that is read behind the head", () => {
  it.live("is neither lost nor doubled when processes are killed", () =>
    Effect.gen(function* () {
      figures("history through kills", { seed, kills })
      const dice = new Dice(Number(seed) >>> 0)
      const { url, simulation } = yield* runningVenue(94, { scale: isSoak ? "tiny" : "brief" })
      simulation.settle()
      const { kill, stores } = yield* frailService(url, {
        LEDGER_HISTORY: "all",
        LEDGER_HISTORY_ORDER: "newest-first",
        LEDGER_FACTS_PER_WRITE: isSoak ? "2000" : "200",
        LEDGER_LOGS_PER_REQUEST: "200",
      })
      yield* Effect.gen(function* () {
        yield* reachesHead(simulation, recoveryWithin)
        const seen: Array<number> = []
        for (let round = 0; round < kills; round++) {
          simulation.advance(dice.between(500, 5_000))
          yield* reachesHead(simulation, recoveryWithin)
          yield* pause(dice.between(0, isSoak ? 6_000 : 1_500))
          yield* kill
          const { facts, positions } = yield* assertCoverageIsTrue(simulation)
          seen.push(facts.block)
          assert.isAtLeast(positions.block, facts.block)
        }
        for (const [i, block] of seen.entries()) assert.isAtMost(block, seen[i - 1] ?? block)
        yield* Effect.repeat(assertCoverageIsTrue(simulation), {
          until: ({ positions }) => positions.isComplete,
          schedule: Schedule.spaced("500 millis"),
        }).pipe(Effect.timeout(patience))
        simulation.settle()
        yield* reachesHead(simulation, recoveryWithin)
        for (const { check, ok, detail } of yield* verifyLedger) assert.isTrue(ok, `${check}: ${detail}`)
        yield* assertEqualsTruth(simulation)
      }).pipe(Effect.provide(stores))
    }).pipe(Effect.scoped),
  )
})
