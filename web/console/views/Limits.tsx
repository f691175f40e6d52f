import { bytes, compact, perSecond, whole } from "../../shared/format.ts"
import { Show } from "../../shared/ui/States.tsx"
import { Stats } from "../../shared/ui/Stats.tsx"
import { type Column, Table } from "../../shared/ui/Table.tsx"
import { samples } from "../history.ts"
import { HourChart } from "../parts.tsx"
import { rates } from "../series.ts"
import type { Limits as Answer } from "../shapes.ts"
import { useOps } from "../useOps.ts"

const accountColumns: ReadonlyArray<Column<Answer["top_accounts"][number]>> = [
  { label: "Account", cell: ({ name, account_id }) => <span title={account_id}>{name}</span> },
  { label: "Plan", cell: ({ plan }) => plan },
  { label: "Requests today", isNumber: true, cell: ({ requests }) => whole(requests) },
  { label: "Streamed today", isNumber: true, cell: (each) => bytes(each.bytes) },
  { label: "Limit per minute", isNumber: true, cell: ({ standard_per_minute }) => whole(standard_per_minute) },
]

const planColumns: ReadonlyArray<Column<Answer["plans"][number]>> = [
  { label: "Plan", cell: ({ plan }) => plan },
  { label: "Requests/min", isNumber: true, cell: ({ standard_per_minute }) => whole(standard_per_minute) },
  { label: "Heavy/min", isNumber: true, cell: ({ heavy_per_minute }) => whole(heavy_per_minute) },
  { label: "Keys", isNumber: true, cell: ({ keys }) => whole(keys) },
  { label: "Webhooks", isNumber: true, cell: ({ webhooks }) => whole(webhooks) },
]

/** Rate limits, and who uses the service most. */
export const Limits = () => {
  const loaded = useOps<Answer>("/limits", 10_000)
  return (
    <Show loaded={loaded}>
      {(limits) => (
        <>
          <Stats
            items={[
              { label: "Requests, last hour", value: compact(limits.requests_last_hour) },
              { label: "Refused, last hour", value: compact(limits.refused_last_hour) },
              { label: "Window", value: `${whole(limits.window_seconds)} s` },
              { label: "Without a key", value: `${whole(limits.unauthenticated_per_minute)}/min` },
            ]}
          />
          <h2>Accounts with the most requests today (UTC)</h2>
          <Table
            label="Top accounts"
            columns={accountColumns}
            rows={limits.top_accounts}
            rowKey={({ account_id }) => account_id}
            empty="No account has sent a request today."
          />
          <HourChart
            title="Refused by limits"
            format={perSecond}
            series={rates(samples.value, { refused: (n) => n === "limits.refused" })}
          />
          <h2>Plans</h2>
          <Table label="Plans" columns={planColumns} rows={limits.plans} rowKey={({ plan }) => plan} />
        </>
      )}
    </Show>
  )
}
