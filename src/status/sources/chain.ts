import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { pendingProblem, pendingSources } from "#src/upstream/chain/pendingSource.ts"
import type { CombinedReport } from "../combineReports.ts"
import type { SourceView } from "../model.ts"

/** Blocks arrive every two seconds; short delays are normal. */
const lateAbove = { ageSeconds: 30, lag: 20 }

/** The newest block that the node calls final, and how far it is behind; null if the node does not say. */
const finality = (head: number | undefined, { now }: CombinedReport) => {
  const finalized = now["finalized"] ?? 0
  if (finalized === 0) return { finalized: null, finalized_lag: null }
  return { finalized, finalized_lag: head === undefined ? null : Math.max(0, head - finalized) }
}

/** partial: positions do not count the whole history, or not yet; `coverage` says from where on they do. */
const historyOf = (ledger: { readonly caught_up: boolean; readonly complete: boolean }) => {
  if (!ledger.caught_up) return "loading"
  return ledger.complete ? "complete" : "partial"
}

/** The chain, as stored in the ledger. */
export const chainView = Effect.gen(function* () {
  const { reads } = yield* Postgres
  return (report: CombinedReport) =>
    Effect.map(
      reads<{ block: number; head: number; at: Date | null; caught_up: boolean; complete: boolean; pending: number }>`
        select c.block, c.head, (select b.at from block b where b.number = c.block) as at,
          c.caught_up_at is not null as caught_up, coalesce(c.started_from <= v.venue_from, true) as complete,
          (select count(*)::int from settlement where status = 0) as pending
        from chain_cursor c left join ledger_coverage v on true`,
      ([row]): SourceView => ({
        source: "chain",
        newestAt: row?.at?.getTime() ?? null,
        ...(row === undefined ? {} : { lag: Math.max(0, row.head - row.block) }),
        lateAbove,
        details: {
          block: row?.block ?? null,
          head: row?.head ?? null,
          ...finality(row?.head, report),
          history: row === undefined ? null : historyOf(row),
          pending_settlements: row?.pending ?? 0,
          reorgs: report.counts["reorgs"] ?? 0,
        },
      }),
    )
})

/** Why there are no pending matches, if there can be none. */
const noteOn = ({ now }: CombinedReport): string | null => {
  const source = pendingSources.find((each) => (now[each] ?? 0) > 0)
  return source === undefined ? null : pendingProblem[source]
}

/** Settlements detected before they are in a block; never late, because there are none without trading. */
export const mempoolView = Effect.gen(function* () {
  const { reads } = yield* Postgres
  return (report: CombinedReport) =>
    Effect.map(
      reads<{ newest: Date | null; pending: number }>`
        select (select max(detected_at) from settlement) as newest,
          (select count(*)::int from settlement where status = 0) as pending`,
      ([row]): SourceView => ({
        source: "mempool",
        newestAt: row?.newest?.getTime() ?? null,
        lateAbove: {},
        details: {
          pending: row?.pending ?? 0,
          confirmed: report.counts["confirmed"] ?? 0,
          dropped: report.counts["dropped"] ?? 0,
          note: noteOn(report),
        },
      }),
    )
})
