import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { Told } from "../combine.ts"
import type { SourceView } from "../model.ts"

/** A block comes every two seconds; a source may be slower for a while without being late. */
const usual = { ageSeconds: 60, lag: 20 }

/** The chain as the ledger has it. */
export const chainView = Effect.gen(function* () {
  const { reads } = yield* Postgres
  return (told: Told) =>
    Effect.map(
      reads<{ block: number; head: number; at: Date | null; caught_up: boolean; pending: number }>`
        select c.block, c.head, (select b.at from block b where b.number = c.block) as at,
          c.caught_up_at is not null as caught_up,
          (select count(*)::int from settlement where status = 0) as pending
        from chain_cursor c`,
      ([row]): SourceView => ({
        source: "chain",
        newestAt: row?.at?.getTime() ?? null,
        ...(row === undefined ? {} : { lag: Math.max(0, row.head - row.block) }),
        usual,
        details: {
          block: row?.block ?? null,
          head: row?.head ?? null,
          history: row === undefined ? null : row.caught_up ? "complete" : "loading",
          pending_settlements: row?.pending ?? 0,
          reorgs: told.counts["reorgs"] ?? 0,
        },
      }),
    )
})
