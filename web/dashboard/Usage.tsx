import { useState } from "preact/hooks"
import { bytes, percent, whole } from "../shared/format.ts"
import { withQuery } from "../shared/request.ts"
import { RequestLine } from "../shared/ui/Copy.tsx"
import { Show } from "../shared/ui/States.tsx"
import { Table } from "../shared/ui/Table.tsx"
import { Time } from "../shared/ui/Time.tsx"
import { useRequest } from "../shared/useRequest.ts"
import { Limits } from "./Limits.tsx"
import { Page, Panel, Stat } from "./Page.tsx"
import { UsageChart } from "./UsageChart.tsx"

export interface Counted {
  readonly requests: number
  readonly bytes: number
}

export interface MonthlyUsage extends Counted {
  readonly month: string
  readonly by_family: ReadonlyArray<Counted & { readonly family: string }>
  readonly by_day: ReadonlyArray<Counted & { readonly day: string }>
  readonly by_day_and_family: ReadonlyArray<Counted & { readonly day: string; readonly family: string }>
  readonly by_key: ReadonlyArray<Counted & { readonly key_id: string; readonly name: string }>
  readonly as_of: string
  readonly behind_seconds: number
}

const counted = [
  { label: "Requests", isNumber: true, cell: (row: Counted) => whole(row.requests) },
  { label: "Transfer", isNumber: true, cell: (row: Counted) => bytes(row.bytes) },
]

const shareOf = (part: number, all: number) => (all === 0 ? percent(null) : percent(part / all))

const thisMonth = () => new Date().toISOString().slice(0, 7)

const Report = ({ usage }: { readonly usage: MonthlyUsage }) => (
  <>
    <dl class="stats">
      <Stat label="Requests this month">{whole(usage.requests)}</Stat>
      <Stat label="Transfer this month">{bytes(usage.bytes)}</Stat>
      <Stat label="Groups used">{whole(usage.by_family.length)}</Stat>
      <Stat label="Keys used">{whole(usage.by_key.length)}</Stat>
    </dl>
    <UsageChart usage={usage} />
    <div class="columns">
      <Panel title="By group">
        <Table
          label="Usage by group"
          rows={usage.by_family}
          rowKey={(row) => row.family}
          empty="No requests in this month."
          columns={[
            { label: "Group", cell: (row) => row.family },
            ...counted,
            { label: "Share", isNumber: true, cell: (row) => shareOf(row.requests, usage.requests) },
          ]}
        />
      </Panel>
      <Panel title="By key">
        <Table
          label="Usage by key"
          rows={usage.by_key}
          rowKey={(row) => row.key_id}
          empty="No requests in this month."
          columns={[
            { label: "Key", cell: (row) => row.name },
            ...counted,
            { label: "Share", isNumber: true, cell: (row) => shareOf(row.requests, usage.requests) },
          ]}
        />
      </Panel>
    </div>
    <p class="small muted">
      As of <Time at={usage.as_of} />, at most {usage.behind_seconds} s behind. Transfer is what streams delivered.
    </p>
  </>
)

export const Usage = () => {
  const [month, setMonth] = useState(thisMonth)
  const path = withQuery("/v1/usage", { month })
  const loaded = useRequest<MonthlyUsage>(path, { everyMillis: 15_000 })
  return (
    <Page
      title="Usage"
      actions={
        <label class="inline">
          Month
          <input
            type="month"
            value={month}
            max={thisMonth()}
            min="2020-01"
            required
            onInput={({ currentTarget: { value } }) => /^\d{4}-\d\d$/.test(value) && setMonth(value)}
          />
        </label>
      }
    >
      <Limits />
      <Show loaded={loaded}>{(usage) => <Report usage={usage} />}</Show>
      <RequestLine path={path} />
    </Page>
  )
}
