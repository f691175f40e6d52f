import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { factTables } from "#src/ledger/factRows.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"

/** Every block and fact in the ledger has its time on the chain. */
export const assertTrueTimes = ({ model: { world } }: Simulation) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const dated = [{ table: "block", column: "number" }, ...factTables.map((table) => ({ table, column: "block" }))]
    for (const { table, column } of dated) {
      const rows = yield* sql<{ block: number; at: Date }>`
        select distinct ${sql(column)} as block, ${sql.literal(table === "fill" ? "to_timestamp(at) as at" : "at")}
        from ${sql(table)} order by 1`
      const wrong = rows.filter(({ block, at }) => at.getTime() !== world.clock.timestampOf(block) * 1000)
      assert.deepStrictEqual(wrong.slice(0, 3), [], `${wrong.length} of ${rows.length} times in ${table} are wrong`)
    }
  })
