import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { Told } from "../combine.ts"
import type { SourceView } from "../model.ts"

/** Settlements that were told before they are in a block. Without trading none come, and that is right. */
export const mempoolView = Effect.gen(function* () {
  const { reads } = yield* Postgres
  return (told: Told) =>
    Effect.map(
      reads<{ newest: Date | null; pending: number }>`
        select (select max(detected_at) from settlement) as newest,
          (select count(*)::int from settlement where status = 0) as pending`,
      ([row]): SourceView => ({
        source: "mempool",
        newestAt: row?.newest?.getTime() ?? null,
        usual: {},
        details: {
          pending: row?.pending ?? 0,
          confirmed: told.counts["confirmed"] ?? 0,
          dropped: told.counts["dropped"] ?? 0,
        },
      }),
    )
})
