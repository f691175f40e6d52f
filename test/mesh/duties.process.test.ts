import assert from "node:assert/strict"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { start } from "#test/support/processes/Process.ts"
import { eventually, sandbox, sandboxEnvironment } from "#test/support/processes/sandbox.ts"
import { figures, percentile, scale } from "#test/support/processes/scale.ts"
import { tickTables } from "#test/support/processes/ticks.ts"

interface DutyRow {
  readonly duty: string
  readonly slots: number
  readonly runs: number
  readonly spanned: number
  readonly pids: number
}

describe("duties kept by two processes", () => {
  it.live("tick once per slot, miss no slot, and never overlap", () =>
    Effect.gen(function* () {
      const { count, everyMillis, slots } = scale.duties
      const { sql } = yield* Postgres
      const env = {
        ...(yield* sandboxEnvironment),
        DUTY_COUNT: String(count),
        DUTY_EVERY_MILLIS: String(everyMillis),
      }
      const file = "test/support/processes/entries/duties.ts"
      const keepers = yield* Effect.forEach(["a", "b"], (name) => start({ name, file, env }))
      for (const keeper of keepers) yield* keeper.waitFor("ready", { within: 30_000 })

      const summary = sql<DutyRow>`
        select duty, count(distinct slot)::int as slots, count(*)::int as runs, count(distinct pid)::int as pids,
               ((max(slot) - min(slot)) / ${everyMillis} + 1)::int as spanned
        from duty_tick group by duty order by duty`
      const fast = Effect.map(summary, (rows) => rows.filter(({ duty }) => duty !== "test-slow"))
      const slow = Effect.map(summary, (rows) => rows.find(({ duty }) => duty === "test-slow"))
      yield* eventually(
        `${slots} slots of every duty`,
        slots * everyMillis + 30_000,
        Effect.map(fast, (rows) => rows.length === count && rows.every((row) => row.slots >= slots)),
      )
      yield* eventually(
        "three runs of the slow duty",
        6 * everyMillis + 30_000,
        Effect.map(slow, (row) => row !== undefined && row.runs >= 3),
      )
      for (const keeper of keepers) keeper.stop()
      for (const keeper of keepers) assert.equal(yield* keeper.exit(20_000), 0, keeper.log())

      for (const row of yield* fast) {
        assert.equal(row.runs, row.slots, `${row.duty} ran a slot more than once`)
        assert.equal(row.spanned, row.slots, `${row.duty} missed a slot`)
      }
      const overlaps = yield* sql`
        select a.duty, a.slot as one, b.slot as other from duty_tick a join duty_tick b
          on a.duty = b.duty and a.id < b.id and a.began < b.ended and b.began < a.ended`
      assert.deepEqual(overlaps, [])
      const late = yield* sql<{ ms: number }>`
        select (began - slot)::int as ms from duty_tick where duty <> 'test-slow' order by ms`
      const sorted = late.map(({ ms }) => ms)
      figures("duties", {
        duties: count,
        every: `${everyMillis} ms`,
        ticks: sorted.length,
        "late p50": `${percentile(sorted, 0.5)} ms`,
        p99: `${percentile(sorted, 0.99)} ms`,
        max: `${sorted.at(-1)} ms`,
        "slow duty's runs": (yield* slow)?.runs ?? 0,
      })
    }).pipe(Effect.scoped, Effect.provide(sandbox(tickTables))),
  )
})
